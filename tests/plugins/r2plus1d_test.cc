#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/layers.h"
#include "tests/support/autocast.h"
#include "tests/support/features.h"
#include "tests/support/pytorchvideo_reference.h"

namespace kinema {
namespace {

using test::tiny_pytorchvideo;
using ::testing::HasSubstr;

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("r2plus1d");
  return loaded;
}

// Logits are compared in pytorchvideo_resnets_slow_test.cc.
TEST(r2plus1d, has_the_reference_state_dict) {
  test::PytorchvideoReference(plugin(), "r2plus1d_r50").expect_state();
}

TEST(r2plus1d, every_preset_trains) {
  for (const Preset& p : plugin().presets()) {
    SCOPED_TRACE(p.name);
    Value small = p.options;
    small.set("width", 2);
    small.set("zero_init_last_norm", false);
    test::expect_all_gradients(*plugin().make(small, 7), test::formula_clip({2, 3, 8, 64, 64}));
  }
}

TEST(r2plus1d, halves_height_and_width_in_each_stage_and_frames_in_two) {
  const auto model = plugin().make(tiny_pytorchvideo(), 2);
  test::expect_features(*model, test::formula_clip({1, 3, 9, 64, 50}), {1, 128, 3, 2, 2});
}

TEST(r2plus1d, probabilities_are_the_mean_of_each_places_activation_in_eval_mode) {
  const ClipBatch clip = test::formula_clip({2, 3, 4, 64, 64});
  const auto whole = plugin().make(tiny_pytorchvideo(), 5);
  EXPECT_TRUE(whole->forward(clip).extra.empty());
  whole->train(false);
  const Output one = whole->forward(clip);
  EXPECT_TRUE(one.extra.at("probabilities").allclose(one.logits.softmax(1), 1e-5, 1e-7));

  const auto model = plugin().make(
      tiny_pytorchvideo({{"activation", "sigmoid"}, {"head_pool", Value(Value::Array{1, 1, 1})}}), 5);
  model->train(false);
  const at::Tensor map = dynamic_cast<HasFeatures&>(*model).features(clip)[0];
  auto& proj = dynamic_cast<Linear&>(*model->find("blocks.5.proj"));
  const at::Tensor expected = proj(map.permute({0, 2, 3, 4, 1})).sigmoid().mean(at::IntArrayRef({1, 2, 3}));
  EXPECT_TRUE(model->forward(clip).extra.at("probabilities").allclose(expected, 1e-5, 1e-7));
}

TEST(r2plus1d, drops_out_before_the_classifier_in_train_mode_only) {
  const auto model = plugin().make(tiny_pytorchvideo({{"dropout", 1.0}}), 3);
  init::constant(dynamic_cast<Linear&>(*model->find("blocks.5.proj")).bias(), 5);
  const ClipBatch clip = test::formula_clip({2, 3, 8, 64, 64});
  EXPECT_TRUE(model->forward(clip).logits.eq(5).all().item<bool>());
  model->train(false);
  EXPECT_FALSE(model->forward(clip).logits.eq(5).all().item<bool>());
}

TEST(r2plus1d, runs_in_bfloat16_and_in_any_memory_format) {
  const auto model = plugin().make(tiny_pytorchvideo({{"width", 8}}), 5);
  ClipBatch clip = test::formula_clip({2, 3, 8, 64, 64});
  test::expect_runs_in_bfloat16(*model, clip);
  const at::Tensor plain = model->forward(clip).logits;
  clip.clips["rgb"] = clip.rgb().contiguous(at::MemoryFormat::ChannelsLast3d);
  EXPECT_TRUE(model->forward(clip).logits.allclose(plain, 1e-4, 1e-5));
}

TEST(r2plus1d, reads_names_of_pytorchvideo) {
  const auto maps = dynamic_cast<HasKeyMaps&>(*plugin().make(tiny_pytorchvideo(), 2)).checkpoint_key_maps();
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].name, "pytorchvideo");
}

TEST(r2plus1d, refuses_options_that_make_no_network) {
  EXPECT_THAT(plugin().problems(tiny_pytorchvideo({{"blocks", Value(Value::Array{1, 1})}})),
              HasSubstr("wrong number of stages: expected 4 numbers in blocks, got 2"));
  EXPECT_THAT(plugin().problems(tiny_pytorchvideo({{"depth", 18}})), HasSubstr("50, 101, 152"));
  EXPECT_NE(plugin().problems(tiny_pytorchvideo({{"activation", "tanh"}})), "");
}

}  // namespace
}  // namespace kinema
