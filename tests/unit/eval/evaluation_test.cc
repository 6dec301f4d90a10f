#include "framework/eval/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/eval/accuracy.h"
#include "kinema/layers.h"
#include "tests/support/scratch.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>

namespace kinema::eval {
namespace {

// Logits of a clip: its mean value and the opposite. Says in which mode it ran.
struct MeanNet : Model {
  bool trained_while_running = false;
  Output forward(const ClipBatch& batch) override {
    trained_while_running = training();
    const at::Tensor mean = batch.rgb().mean(at::IntArrayRef({1, 2, 3, 4}));
    return {at::stack({mean, mean.neg()}, 1), {}};
  }
};

struct MeanLoss : Loss {
  LossValue operator()(const Output& output, const TargetBatch& target) override {
    return {at::cross_entropy_loss(output.logits, target.labels), {}};
  }
};

// One view of an item.
struct View {
  std::size_t item;
  std::uint8_t level;
  std::int64_t label = 0;
  bool valid = true;
};

std::unique_ptr<data::Batch> batch_of(const std::vector<View>& views) {
  auto batch = std::make_unique<data::Batch>();
  batch->clips = static_cast<std::int64_t>(views.size());
  batch->frames = 1;
  batch->size = {2, 2};
  batch->classes = 2;
  batch->mean = {0.5F, 0.5F, 0.5F};
  batch->std = {0.25F, 0.25F, 0.25F};
  batch->pixels = data::Pixels(new std::uint8_t[batch->bytes()], std::default_delete<std::uint8_t[]>());
  std::uint8_t* out = batch->pixels.get();
  for (const View& view : views) {
    out = std::fill_n(out, 12, view.level);
    batch->labels.push_back(view.label);
    batch->weights.push_back(1);
    data::ClipInfo info;
    info.index = view.item;
    info.key = "item " + std::to_string(view.item);
    info.target.label = view.label;
    info.valid = view.valid;
    if (!view.valid) info.problem = "cut off";
    batch->infos.push_back(info);
  }
  return batch;
}

EvaluationResult run(const std::vector<std::vector<View>>& batches, std::int64_t views,
                     Loss* loss = nullptr) {
  MeanNet net;
  EvaluationOptions options;
  options.views = views;
  std::size_t next = 0;
  return evaluate(
      net, loss,
      [&] { return next < batches.size() ? batch_of(batches[next++]) : std::unique_ptr<data::Batch>(); },
      {std::make_shared<Accuracy>(AccuracyOptions{{1}})}, options);
}

// Softmax of the first class for a clip of one level.
double first_score(double level) {
  const double logit = (level / 255 - 0.5) / 0.25;
  return 1 / (1 + std::exp(-2 * logit));
}

TEST(evaluation, averages_the_softmax_scores_of_an_item_over_its_views) {
  MeanLoss loss;
  const EvaluationResult result = run({{{0, 200}, {0, 100}, {1, 50, 1}}, {{1, 60, 1}}}, 2, &loss);
  ASSERT_EQ(result.predictions.size(), 2u);
  EXPECT_NEAR(result.predictions[0].scores[0], (first_score(200) + first_score(100)) / 2, 1e-6);
  EXPECT_NEAR(result.predictions[1].scores[0], (first_score(50) + first_score(60)) / 2, 1e-6);
  EXPECT_EQ(result.items, 2);
  EXPECT_EQ(result.metrics.at("top1"), 1);
  const double losses = -std::log(first_score(200)) - std::log(first_score(100)) -
                        std::log(1 - first_score(50)) - std::log(1 - first_score(60));
  EXPECT_NEAR(result.metrics.at("loss"), losses / 4, 1e-6);
}

// An item of class 1 counts three times.
struct WeighedLoss : MeanLoss {
  bool trained_while_running = false;
  LossValue operator()(const Output& output, const TargetBatch& target) override {
    trained_while_running = trained_while_running || training();
    LossValue value = MeanLoss::operator()(output, target);
    value.weight = target.labels.mul(2).add(1).sum();
    return value;
  }
};

TEST(evaluation, weighs_the_loss_of_each_item_as_the_loss_says) {
  WeighedLoss loss;
  const EvaluationResult result = run({{{0, 200}, {1, 50, 1}}}, 1, &loss);
  const double losses = -std::log(first_score(200)) - 3 * std::log(1 - first_score(50));
  EXPECT_NEAR(result.metrics.at("loss"), losses / 4, 1e-6);
  EXPECT_EQ(result.clips, 2);
}

TEST(evaluation, runs_the_loss_in_eval_mode_and_puts_the_mode_back) {
  WeighedLoss loss;
  run({{{0, 200}}}, 1, &loss);
  EXPECT_FALSE(loss.trained_while_running);
  EXPECT_TRUE(loss.training());
}

// Gives a value that it did not announce.
struct Undeclared : Metric {
  void reset() override {}
  void add(const ScoredSamples&) override {}
  std::vector<double> state() const override { return {}; }
  void merge(std::span<const double>) override {}
  std::vector<NamedValue> result() const override { return {{"top1", 0}}; }
  std::vector<std::string> names() const override { return {}; }
};

TEST(evaluation, two_values_of_one_name_are_an_error_not_one_value) {
  MeanNet net;
  const auto next = [given = false]() mutable {
    return std::exchange(given, true) ? std::unique_ptr<data::Batch>() : batch_of({{0, 1}});
  };
  const std::vector<std::shared_ptr<Metric>> metrics = {std::make_shared<Accuracy>(AccuracyOptions{{1}}),
                                                        std::make_shared<Undeclared>()};
  EXPECT_THAT(test::error_of([&] { evaluate(net, nullptr, next, metrics, {}); }),
              testing::HasSubstr("value name given twice: expected each once, got \"top1\" again"));
}

TEST(evaluation, averages_the_probabilities_of_a_model_that_gives_its_own) {
  struct OwnNet : MeanNet {
    Output forward(const ClipBatch& batch) override {
      Output output = MeanNet::forward(batch);
      output.extra["probabilities"] = output.logits.sigmoid();
      return output;
    }
  } net;
  EvaluationOptions options;
  options.views = 2;
  bool given = false;
  const NextBatch next = [&] {
    return std::exchange(given, true) ? nullptr : batch_of({{0, 200}, {0, 100}});
  };
  const EvaluationResult result = evaluate(net, nullptr, next, {}, options);
  const auto sigmoid = [](double level) { return 1 / (1 + std::exp(-(level / 255 - 0.5) / 0.25)); };
  EXPECT_NEAR(result.predictions.at(0).scores[0], (sigmoid(200) + sigmoid(100)) / 2, 1e-6);
}

TEST(evaluation, puts_views_together_by_the_rule) {
  MeanNet net;
  EvaluationOptions options;
  options.views = 2;
  const auto scores = [&](const ViewRule& rule) {
    options.rule = rule;
    bool given = false;
    const NextBatch next = [&] {
      return std::exchange(given, true) ? nullptr : batch_of({{0, 200}, {0, 100}});
    };
    return evaluate(net, nullptr, next, {}, options).predictions.at(0).scores;
  };
  const auto logit = [](double level) { return (level / 255 - 0.5) / 0.25; };
  using config::ScoreKind;
  using config::ViewMerge;
  const auto highest = scores({ScoreKind::logits, false, ViewMerge::max});
  EXPECT_NEAR(highest[0], logit(200), 1e-5);
  EXPECT_NEAR(highest[1], -logit(100), 1e-5);
  EXPECT_NEAR(scores({ScoreKind::logits, false, ViewMerge::sum})[0], logit(200) + logit(100), 1e-5);
  EXPECT_NEAR(scores({ScoreKind::sigmoid, true, ViewMerge::mean})[0],
              (1 / (1 + std::exp(-logit(200))) + 1 / (1 + std::exp(-logit(100)))) / 2, 1e-6);
}

TEST(evaluation, does_not_depend_on_how_views_are_spread_over_batches) {
  const std::vector<View> views = {{0, 10}, {0, 200}, {1, 30, 1}, {1, 220, 1}, {2, 90}, {2, 91}};
  const EvaluationResult together = run({views}, 2);
  const EvaluationResult apart = run({{views[5]}, {views[1], views[2]}, {views[0], views[4]}, {views[3]}}, 2);
  ASSERT_EQ(apart.predictions.size(), together.predictions.size());
  for (std::size_t i = 0; i < apart.predictions.size(); ++i) {
    EXPECT_EQ(apart.predictions[i].key, together.predictions[i].key);
    EXPECT_NEAR(apart.predictions[i].scores[0], together.predictions[i].scores[0], 1e-6);
  }
  EXPECT_EQ(apart.metrics, together.metrics);
}

TEST(evaluation, leaves_unreadable_views_out_and_items_that_have_no_other) {
  const EvaluationResult result = run({{{0, 200}, {0, 0, 0, false}, {1, 0, 0, false}, {1, 0, 0, false}}}, 2);
  EXPECT_EQ(result.items, 2);
  ASSERT_EQ(result.predictions.size(), 1u);
  EXPECT_NEAR(result.predictions[0].scores[0], first_score(200), 1e-6);
  EXPECT_EQ(result.metrics.at("top1"), 1);
  ASSERT_EQ(result.unreadable.size(), 3u);
  EXPECT_EQ(result.unreadable[2].key, "item 1");
  EXPECT_EQ(result.unreadable[2].problem, "cut off");
}

TEST(evaluation, runs_in_eval_mode_and_puts_the_mode_back) {
  for (const bool training : {true, false}) {
    MeanNet net;
    net.train(training);
    bool given = false;
    const auto next = [&] {
      return std::exchange(given, true) ? std::unique_ptr<data::Batch>() : batch_of({{0, 1}});
    };
    evaluate(net, nullptr, next, {}, {});
    EXPECT_FALSE(net.trained_while_running);
    EXPECT_EQ(net.training(), training);
  }
}

TEST(evaluation, stops_between_batches_when_asked) {
  MeanNet net;
  EvaluationOptions options;
  int asked = 0;
  options.stop = [&] { return ++asked > 1; };
  std::int64_t clips = 0;
  options.done = [&](std::int64_t done) { clips = done; };
  const EvaluationResult result = evaluate(
      net, nullptr,
      [] {
        return batch_of({{0, 1}});
      },
      {}, options);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(clips, 1);
}

// Logits of a box: its left side and the opposite.
struct BoxNet : Model {
  Output forward(const ClipBatch& batch) override {
    const at::Tensor left = batch.boxes.select(1, 1);
    return {at::stack({left, left.neg()}, 1), {}};
  }
};

struct BoxLoss : Loss {
  LossValue operator()(const Output& output, const TargetBatch& target) override {
    EXPECT_EQ(target.values.sizes(), output.logits.sizes());
    EXPECT_EQ(target.clips->boxes.size(0), output.logits.size(0));
    EXPECT_EQ(target.clips->rgb().size(0), 1);
    return {output.logits.select(1, 0).mean(), {}};
  }
};

struct BoxCount : Metric, MeasuresBoxes {
  std::vector<std::size_t> items, boxes, truths;
  void reset() override {}
  void add(const ScoredSamples&) override { ADD_FAILURE() << "of boxes"; }
  void add(const ScoredBoxes& of) override {
    items.push_back(of.item);
    boxes.push_back(of.boxes.size());
    truths.push_back(of.truth.size());
  }
  std::vector<double> state() const override { return {}; }
  void merge(std::span<const double>) override {}
  std::vector<NamedValue> result() const override { return {{"count", 1.0 * items.size()}}; }
  std::vector<std::string> names() const override { return {"count"}; }
};

// Two items of two and no boxes, then one of one box; and a batch without any box at all.
TEST(evaluation, boxes_are_scored_one_by_one_and_none_is_no_trouble) {
  auto first = batch_of({{0, 1}, {1, 1}, {2, 1}}), second = batch_of({{3, 1}});
  for (auto* batch : {first.get(), second.get()}) batch->detection = true;
  first->boxes = {{0, 0, 1, 0, 2, 2, {0}}, {0, 1, 0, 0, 2, 2, {1}}, {2, 0, 0.5F, 0, 1, 1, {}}};
  first->infos[0].target.boxes.resize(2);
  first->infos[1].target.truth.emplace(3);
  first->infos[2].target.boxes.resize(1);
  std::vector<std::unique_ptr<data::Batch>> batches;
  batches.push_back(std::move(first));
  batches.push_back(std::move(second));
  std::size_t next = 0;
  BoxNet net;
  BoxLoss loss;
  const auto count = std::make_shared<BoxCount>();
  EvaluationOptions options;
  options.rule.scores = config::ScoreKind::sigmoid;
  const EvaluationResult result = evaluate(
      net, &loss, [&] { return next < 2 ? std::move(batches[next++]) : std::unique_ptr<data::Batch>(); },
      {count}, options);
  EXPECT_THAT(count->items, testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(count->boxes, testing::ElementsAre(2, 0, 1, 0));
  EXPECT_THAT(count->truths, testing::ElementsAre(2, 3, 1, 0));
  EXPECT_DOUBLE_EQ(result.metrics.at("loss"), (1 + 0 + 0.5) / 3) << "each box counts once";
  const auto sigmoid = [](double x) { return static_cast<float>(1 / (1 + std::exp(-x))); };
  EXPECT_THAT(result.predictions[0].scores,
              testing::ElementsAre(testing::FloatEq(sigmoid(1)), testing::FloatEq(sigmoid(-1)), 0.5F, 0.5F));
  EXPECT_TRUE(result.predictions[1].scores.empty());
}

}  // namespace
}  // namespace kinema::eval
