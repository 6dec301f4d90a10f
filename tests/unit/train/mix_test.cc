#include "framework/train/mix.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/reference.h"
#include "tests/support/scratch.h"

namespace kinema::train {
namespace {

double distance(const at::Tensor& got, const nlohmann::json& expected) {
  const at::Tensor wanted = at::tensor(expected.get<std::vector<double>>(), at::kDouble);
  return got.to(at::kDouble).flatten().sub(wanted).abs().max().item<double>();
}

Mix mix_of(const nlohmann::json& c, Size size) {
  if (c["op"] == "mixup") return {c["lam"], std::nullopt};
  return cut_window(c["lam"], size, c["center_y"], c["center_x"]);
}

TEST(mix, equals_the_reference_for_given_draws) {
  int compared = 0;
  for (const nlohmann::json& c : test::golden_cases("transforms/mixup_cutmix.json")) {
    const std::vector<std::int64_t> shape = c["input_shape"];
    const Mix mix = mix_of(c, {static_cast<int>(shape[4]), static_cast<int>(shape[3])});
    EXPECT_NEAR(mix.lambda, c.value("corrected_lam", mix.lambda), 1e-12);
    ClipBatch clips;
    clips.clips["rgb"] = test::reference_input(c["input_key"], shape);
    mix_clips(clips, mix);
    EXPECT_LT(distance(clips.rgb(), c["output"]), 1e-6);
    TargetBatch targets;
    targets.labels = at::tensor(c["labels"].get<std::vector<std::int64_t>>());
    mix_targets(targets, c["num_classes"], mix);
    // The reference smooths the labels here; the loss does it.
    const double smoothing = c["label_smoothing"];
    const at::Tensor smoothed =
        targets.values.mul(1 - smoothing).add(smoothing / c["num_classes"].get<double>());
    EXPECT_LT(distance(smoothed, c["target"]), 1e-6);
    ++compared;
  }
  EXPECT_EQ(compared, 6);
}

TEST(mix, draws_shares_with_the_mean_and_deviation_of_a_beta_distribution) {
  for (const double alpha : {0.2, 0.8, 1.0, 4.0}) {
    Random random(7);
    double sum = 0, squares = 0;
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i) {
      const double x = draw_beta(alpha, random);
      sum += x;
      squares += x * x;
    }
    EXPECT_NEAR(sum / kDraws, 0.5, 0.01) << alpha;
    EXPECT_NEAR(squares / kDraws - 0.25, 1 / (4 * (2 * alpha + 1)), 0.005) << alpha;
  }
}

TEST(mix, chooses_between_mixup_and_cutmix) {
  int cut = 0, none = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Random random(i);
    const auto mix =
        draw_mix({.mixup = 0.8, .cutmix = 1, .probability = 0.8, .cutmix_share = 0.25}, {8, 8}, random);
    none += !mix;
    cut += mix && mix->window;
  }
  EXPECT_NEAR(none, 200, 50);
  EXPECT_NEAR(cut, 200, 50);
  Random random(1);
  EXPECT_FALSE(draw_mix({}, {8, 8}, random));
}

TEST(mix, keeps_values_of_several_classes_and_items_without_a_label) {
  TargetBatch targets;
  targets.values = at::tensor({1.0F, 1.0F, 0.0F, 0.0F}).view({2, 2});
  mix_targets(targets, 2, {0.25, std::nullopt});
  EXPECT_TRUE(targets.values.equal(at::tensor({0.25F, 0.25F, 0.75F, 0.75F}).view({2, 2})));
  TargetBatch labels;
  labels.labels = at::tensor({1, -1}, at::kLong);
  mix_targets(labels, 2, {0.25, std::nullopt});
  EXPECT_TRUE(labels.values.equal(at::tensor({0.0F, 0.25F, 0.0F, 0.75F}).view({2, 2})));
}

TEST(mix, refuses_boxes) {
  ClipBatch clips;
  clips.boxes = at::ones({1, 5});
  EXPECT_THAT(test::error_of([&] { mix_clips(clips, {}); }), testing::HasSubstr("clips with boxes"));
}

}  // namespace
}  // namespace kinema::train
