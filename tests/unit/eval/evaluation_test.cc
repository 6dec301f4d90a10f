#include "framework/eval/evaluation.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/stack.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "framework/eval/accuracy.h"

namespace kinema::eval {
namespace {

using testing::FloatNear;
using testing::Pointwise;

// Scores of class 1 grow with a clip's brightness: logits [0, byte].
struct BrightnessNet : Model {
  Output forward(const ClipBatch& batch) override {
    const at::Tensor bright = batch.rgb().mean({1, 2, 3, 4}).mul(255);
    return {at::stack({bright.mul(0), bright}, 1), {}};
  }
};

struct PlainLoss : Loss {
  LossValue operator()(const Output& output, const TargetBatch& target) override {
    return {at::cross_entropy_loss(output.logits, target.labels), {}};
  }
};

struct View {
  std::size_t item;
  std::int64_t label;
  std::uint8_t byte;
  bool valid = true;
};

std::unique_ptr<data::Batch> batch_of(const std::vector<View>& views) {
  auto batch = std::make_unique<data::Batch>();
  batch->clips = std::ssize(views);
  batch->frames = 1;
  batch->size = {1, 1};
  batch->classes = 2;
  batch->pixels = data::Pixels(new std::uint8_t[batch->bytes()], std::default_delete<std::uint8_t[]>());
  for (std::size_t i = 0; i < views.size(); ++i) {
    std::fill_n(batch->pixels.get() + 3 * i, 3, views[i].byte);
    batch->labels.push_back(views[i].label);
    batch->weights.push_back(1);
    data::ClipInfo info;
    info.index = views[i].item;
    info.key = "item " + std::to_string(views[i].item);
    info.valid = views[i].valid;
    batch->infos.push_back(info);
  }
  return batch;
}

EvaluationResult run(const std::vector<std::vector<View>>& batches, std::int64_t views,
                     const std::vector<std::shared_ptr<Metric>>& metrics = {
                         std::make_shared<Accuracy>(AccuracyOptions{{1}})}) {
  BrightnessNet model;
  PlainLoss loss;
  std::size_t next = 0;
  EvaluationOptions options;
  options.views = views;
  return evaluate(
      model, &loss,
      [&] { return next < batches.size() ? batch_of(batches[next++]) : std::unique_ptr<data::Batch>(); },
      metrics, options);
}

float share(double byte) { return static_cast<float>(1 / (1 + std::exp(-byte))); }

TEST(evaluation, averages_the_softmax_of_an_items_views_also_across_batches) {
  const EvaluationResult result = run({{{0, 1, 0}, {0, 1, 2}, {1, 0, 1}}, {{1, 0, 3}}}, 2);
  ASSERT_EQ(result.predictions.size(), 2u);
  const float first = (share(0) + share(2)) / 2, second = (share(1) + share(3)) / 2;
  EXPECT_THAT(result.predictions[0].scores, Pointwise(FloatNear(1e-6f), {1 - first, first}));
  EXPECT_THAT(result.predictions[1].scores, Pointwise(FloatNear(1e-6f), {1 - second, second}));
  EXPECT_EQ(result.items, 2);
  EXPECT_EQ(result.metrics.at("top1"), 0.5);
}

TEST(evaluation, takes_the_loss_of_each_item_as_the_mean_over_its_views) {
  const EvaluationResult result = run({{{0, 1, 0}, {0, 1, 2}, {1, 0, 1}, {1, 0, 1}}}, 2);
  const double first = -(std::log(share(0)) + std::log(share(2))) / 2, second = -std::log(1 - share(1));
  EXPECT_NEAR(result.metrics.at("loss"), (first + second) / 2, 1e-6);
}

TEST(evaluation, leaves_out_views_that_could_not_be_read_and_items_without_any) {
  const EvaluationResult result = run({{{0, 1, 2}, {0, 1, 0, false}, {1, 0, 0, false}, {1, 0, 0, false}}}, 2);
  ASSERT_EQ(result.predictions.size(), 1u);
  EXPECT_NEAR(result.predictions[0].scores[1], share(2), 1e-6);
  EXPECT_EQ(result.items, 2);
  EXPECT_EQ(result.unreadable.size(), 3u);
  EXPECT_EQ(result.metrics.at("top1"), 1);
}

TEST(evaluation, counts_no_item_without_a_target_in_the_loss) {
  const EvaluationResult result = run({{{0, 1, 2}, {1, -1, 5}}}, 1);
  EXPECT_NEAR(result.metrics.at("loss"), -std::log(share(2)), 1e-6);
  EXPECT_FALSE(result.predictions[1].has_target);
  EXPECT_FALSE(run({{{0, -1, 2}}}, 1).metrics.contains("loss"));
}

struct ValuesSeen : Metric {
  std::vector<float> seen;
  void reset() override { seen.clear(); }
  void add(const ScoredSamples& samples) override {
    seen.insert(seen.end(), samples.values.begin(), samples.values.end());
  }
  std::vector<double> state() const override { return {}; }
  void merge(std::span<const double>) override {}
  std::vector<NamedValue> result() const override { return {}; }
  std::vector<std::string> names() const override { return {}; }
};

TEST(evaluation, gives_metrics_the_target_values_of_each_item_once) {
  BrightnessNet model;
  auto batch = batch_of({{0, -1, 1}, {0, -1, 2}, {1, -1, 3}, {1, -1, 4}});
  batch->values = {0.25f, 0.75f, 0.25f, 0.75f, 1, 0, 1, 0};
  const auto metric = std::make_shared<ValuesSeen>();
  EvaluationOptions options;
  options.views = 2;
  evaluate(
      model, nullptr, [&] { return std::move(batch); }, {metric}, options);
  EXPECT_THAT(metric->seen, testing::ElementsAre(0.25f, 0.75f, 1, 0));
}

}  // namespace
}  // namespace kinema::eval
