#include "framework/eval/view_scores.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "framework/eval/accuracy.h"
#include "framework/eval/average_precision.h"
#include "tests/support/formula.h"
#include "tests/support/golden.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::eval {
namespace {

using config::ScoreKind;
using config::ViewMerge;

// [videos, classes], from views that came in the order of the reference.
std::vector<std::vector<float>> video_scores(const nlohmann::json& c) {
  const std::int64_t rows = c["shape"][0], classes = c["shape"][1], views = c["views_per_video"];
  std::vector<float> logits =
      test::formula_values(c["views_key"].get<std::string>(), static_cast<std::size_t>(rows * classes));
  for (float& logit : logits) logit *= 4;
  const bool sigmoid = c["activation"] == "sigmoid(4x)";
  const ViewRule rule{sigmoid ? ScoreKind::sigmoid : ScoreKind::softmax, true,
                      c["method"] == "max" ? ViewMerge::max : ViewMerge::sum};
  const at::Tensor scores =
      view_scores({at::from_blob(logits.data(), {rows, classes}, at::kFloat), {}}, rule);
  std::vector<std::vector<float>> videos(c["num_videos"].get<std::size_t>());
  for (const std::int64_t clip : c["clip_order"])
    add_view(videos[static_cast<std::size_t>(clip / views)],
             {scores.const_data_ptr<float>() + clip * classes, static_cast<std::size_t>(classes)},
             rule.merge);
  for (std::vector<float>& video : videos) finish_views(video, views, rule.merge);
  return videos;
}

TEST(view_scores, equal_the_references_sums_and_maxima) {
  int compared = 0;
  for (const auto& c : test::golden_cases("metrics/multi_view.json")) {
    if (c.contains("note")) continue;  // the reference lost these sums in rounding
    const std::vector<std::vector<float>> videos = video_scores(c);
    std::size_t i = 0;
    for (const std::vector<float>& video : videos)
      for (const float score : video)
        EXPECT_NEAR(score, c["video_scores"][i++].get<double>(), 2e-6) << c["op"];
    EXPECT_EQ(i, c["video_scores"].size());
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

TEST(view_scores, give_the_references_accuracy_and_mean_average_precision) {
  for (const auto& c : test::golden_cases("metrics/multi_view.json")) {
    if (c.contains("note")) continue;
    const std::int64_t classes = c["shape"][1];
    Accuracy accuracy({.k = {1, 2}});
    AveragePrecision precision;
    std::size_t video = 0;
    for (const std::vector<float>& scores : video_scores(c)) {
      const nlohmann::json& target = c["labels"][video++];
      const bool several = c["multi_label"];
      const std::vector<float> values = several ? target.get<std::vector<float>>() : std::vector<float>();
      const std::int64_t labels[] = {several ? -1 : target.get<std::int64_t>()};
      accuracy.add({scores, labels, values, classes});
      if (several) precision.add({scores, labels, values, classes});
    }
    if (c["multi_label"]) {
      EXPECT_NEAR(precision.result()[0].value, c["map"].get<double>(), 1e-9);
    } else {
      EXPECT_NEAR(accuracy.result()[0].value * 6, c["topk_correct_1_2"][0].get<double>(), 1e-9);
      EXPECT_NEAR(accuracy.result()[1].value * 6, c["topk_correct_1_2"][1].get<double>(), 1e-9);
    }
  }
}

TEST(view_scores, a_mean_is_the_sum_over_the_views_that_there_are) {
  std::vector<float> scores;
  add_view(scores, std::vector<float>{1, 4}, ViewMerge::mean);
  add_view(scores, std::vector<float>{2, -2}, ViewMerge::mean);
  finish_views(scores, 2, ViewMerge::mean);
  EXPECT_THAT(scores, testing::ElementsAre(1.5, 1));
}

TEST(view_scores, a_maximum_of_logits_may_be_negative) {
  std::vector<float> scores;
  for (const float score : {-3.0F, -2.0F}) add_view(scores, std::vector<float>{score}, ViewMerge::max);
  finish_views(scores, 2, ViewMerge::max);
  EXPECT_THAT(scores, testing::ElementsAre(-2));
}

TEST(view_scores, the_models_own_probabilities_win_unless_the_file_says_what_scores_are) {
  Output output{at::tensor({0.0F, 1.0F}).reshape({1, 2}), {}};
  output.extra["probabilities"] = at::tensor({0.9F, 0.2F}).reshape({1, 2});
  const auto first = [&](config::EvalOptions options) {
    return view_scores(output, view_rule(options, nullptr)).const_data_ptr<float>()[0];
  };
  EXPECT_FLOAT_EQ(first({}), 0.9F);
  EXPECT_FLOAT_EQ(first({ViewMerge::mean, ScoreKind::logits}), 0);
  EXPECT_FLOAT_EQ(first({ViewMerge::mean, ScoreKind::sigmoid}), 0.5F);
  EXPECT_NEAR(first({ViewMerge::mean, ScoreKind::softmax}), 1 / (1 + std::exp(1)), 1e-6);
}

test::ListedItems items_with(const std::vector<std::vector<float>>& values) {
  test::ListedItems set;
  set.names = {"a", "b"};
  for (const std::vector<float>& each : values) {
    Item item;
    item.target.values = each;
    if (each.empty()) item.target.label = 1;
    set.items.push_back(item);
  }
  return set;
}

TEST(view_scores, automatic_ones_are_sigmoid_where_targets_are_vectors_of_0s_and_1s) {
  const auto kind = [](const test::ListedItems& set) { return view_rule({}, &set).scores; };
  EXPECT_EQ(kind(items_with({{1, 1}, {0, 0}})), ScoreKind::sigmoid);
  EXPECT_EQ(kind(items_with({{1, 0}, {}})), ScoreKind::sigmoid);
  EXPECT_EQ(kind(items_with({{1, 0}, {0.75, 0.25}})), ScoreKind::softmax) << "soft targets";
  EXPECT_EQ(kind(items_with({{}, {}})), ScoreKind::softmax);
  EXPECT_EQ(view_rule({}, nullptr).scores, ScoreKind::softmax);
  EXPECT_EQ(view_rule({}, std::make_unique<test::ListedBoxes>().get()).scores, ScoreKind::sigmoid) << "boxes";
}

}  // namespace
}  // namespace kinema::eval
