#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/layers.h"
#include "kinema/run_context.h"
#include "tests/support/autocast.h"
#include "tests/support/block_count.h"
#include "tests/support/features.h"
#include "tests/support/hara_reference.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("densenet3d");
  return loaded;
}

Value tiny(std::initializer_list<std::pair<const char*, Value>> more = {}) {
  Value options = Value::table({{"blocks", Value(Value::Array{1, 2, 1, 1})}, {"width", 8}, {"growth", 4}});
  for (const auto& [key, value] : more) options.set(key, value);
  return options;
}

std::string run_error(Model& model, const ClipBatch& batch) {
  try {
    model.forward(batch);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(densenet3d, has_the_reference_state_dict) {
  test::HaraReference(plugin(), "densenet3d_121").expect_state();
}

TEST(densenet3d, gives_the_reference_logits_and_gradients) {
  test::HaraReference(plugin(), "densenet3d_121").expect_case("small");
}

// By the formula that gives the reference's count of 121 layers.
TEST(densenet3d, has_as_many_parameters_as_the_reference) {
  EXPECT_EQ(test::parameters(*plugin().make(plugin().preset("densenet3d_169"), 400)), 19252624);
  EXPECT_EQ(test::parameters(*plugin().make(plugin().preset("densenet3d_201"), 400)), 26143120);
  EXPECT_EQ(test::parameters(*plugin().make(plugin().preset("densenet3d_264"), 101)), 40561381);
}

TEST(densenet3d, every_preset_trains) {
  for (const Preset& p : plugin().presets()) {
    SCOPED_TRACE(p.name);
    Value small = p.options;
    small.set("width", 4);
    small.set("growth", 2);
    small.set("bottleneck", 2);
    test::expect_all_gradients(*plugin().make(small, 7), test::formula_clip({2, 3, 16, 40, 40}));
  }
}

TEST(densenet3d, trains_with_its_options) {
  for (const auto& more : {tiny({{"no_max_pool", true}, {"stem_frames", 3}}), tiny({{"stem_stride", 2}}),
                           tiny({{"layer_dropout", 0.3}, {"dropout", 0.3}})})
    test::expect_all_gradients(*plugin().make(more, 7), test::formula_clip({2, 3, 33, 45, 39}));
}

TEST(densenet3d, names_the_smallest_clip_and_takes_it) {
  const auto model = plugin().make(tiny(), 2);
  model->train(false);
  EXPECT_EQ(run_error(*model, test::formula_clip({1, 3, 14, 29, 29})),
            "clip rgb: too small: expected at least 15 frames of 29x29, got 14 frames of 29x29");
  EXPECT_THAT(run_error(*model, test::formula_clip({1, 3, 15, 29, 28})), HasSubstr("got 15 frames of 29x28"));
  EXPECT_EQ(run_error(*model, test::formula_clip({1, 3, 15, 29, 29})), "no error");
  for (const auto& [more, least] :
       {std::pair(tiny({{"no_max_pool", true}}), "8 frames of 15x15"),
        std::pair(tiny({{"stem_stride", 2}}), "29 frames of 29x29"),
        std::pair(tiny({{"stem_frames", 4}, {"no_max_pool", true}}), "7 frames of 15x15"),
        std::pair(tiny({{"blocks", Value(Value::Array{1})}}), "1 frame of 1x1")}) {
    const auto other = plugin().make(more, 2);
    other->train(false);
    EXPECT_THAT(run_error(*other, test::formula_clip({1, 3, 0, 64, 64})),
                HasSubstr(std::string("expected at least ") + least));
  }
  EXPECT_EQ(run_error(*plugin().make(tiny(), 2), test::formula_clip({1, 2, 16, 32, 32})),
            "clip rgb: wrong shape: expected [batch, 3, frames, height, width], got [1, 2, 16, 32, 32]");
}

TEST(densenet3d, drops_out_in_train_mode_only) {
  const auto model = plugin().make(tiny({{"dropout", 1.0}}), 3);
  init::constant(dynamic_cast<Linear&>(*model->find("classifier")).bias(), 5);
  const ClipBatch clip = test::formula_clip({2, 3, 16, 32, 32});
  EXPECT_TRUE(model->forward(clip).logits.eq(5).all().item<bool>());
  model->train(false);
  EXPECT_FALSE(model->forward(clip).logits.eq(5).all().item<bool>());
}

TEST(densenet3d, what_a_layer_adds_can_be_dropped) {
  const auto model = plugin().make(tiny({{"layer_dropout", 1.0}}), 3);
  struct Added : RunContext::Tap {
    double sum = 0;
    void ran(const Module& module, std::string_view name, const at::Tensor& x, const at::Tensor& y) override {
      if (name.empty() && module.name() == "denselayer1")
        sum += y.slice(1, x.size(1)).abs().sum().item<double>();
    }
  } tap;
  RunContext context;
  context.tap = &tap;
  const RunContextScope scope(context);
  const ClipBatch clip = test::formula_clip({2, 3, 16, 32, 32});
  model->forward(clip);
  EXPECT_EQ(tap.sum, 0);
  model->train(false);
  model->forward(clip);
  EXPECT_GT(tap.sum, 0);
}

TEST(densenet3d, runs_each_layer_as_a_block) {
  EXPECT_EQ(test::blocks_run(*plugin().make(tiny(), 2), test::formula_clip({2, 3, 16, 32, 32})), 5);
}

TEST(densenet3d, gives_its_maps_with_and_without_the_classifier) {
  // 8 + 4, halved; + 8, halved; + 4, halved; + 4 channels.
  const auto model = plugin().make(tiny({{"modality", "flow"}}), 2);
  test::expect_features(*model, test::formula_clip({1, 2, 32, 64, 33}, "flow"), {1, 9, 2, 2, 1});
}

TEST(densenet3d, runs_in_bfloat16_and_in_any_memory_format) {
  const auto model = plugin().make(tiny(), 5);
  ClipBatch clip = test::formula_clip({2, 3, 16, 48, 48});
  test::expect_runs_in_bfloat16(*model, clip);
  const at::Tensor plain = model->forward(clip).logits;
  clip.clips["rgb"] = clip.rgb().contiguous(at::MemoryFormat::ChannelsLast3d);
  EXPECT_TRUE(model->forward(clip).logits.allclose(plain, 1e-4, 1e-5));
}

TEST(densenet3d, begins_with_a_classifier_without_bias) {
  const auto model = plugin().make(tiny(), 2);
  EXPECT_EQ(dynamic_cast<Linear&>(*model->find("classifier")).bias().abs().sum().item<double>(), 0);
  EXPECT_GT(dynamic_cast<Linear&>(*model->find("classifier")).weight().abs().sum().item<double>(), 0);
}

TEST(densenet3d, reads_names_of_3d_resnets_as_they_are) {
  const auto maps = dynamic_cast<HasKeyMaps&>(*plugin().make(tiny(), 2)).checkpoint_key_maps();
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_TRUE(maps[0].name == "3d_resnets" && maps[0].rewrites.empty());
}

TEST(densenet3d, refuses_options_that_make_no_network) {
  EXPECT_THAT(plugin().problems(Value::table({{"depth", 122}})), HasSubstr("121, 169, 201, 264"));
  EXPECT_NE(plugin().problems(tiny({{"growth", 0}})), "");
  EXPECT_NE(plugin().problems(tiny({{"blocks", Value(Value::Array{0})}})), "");
  EXPECT_NE(plugin().problems(tiny({{"layer_dropout", 1.5}})), "");
}

}  // namespace
}  // namespace kinema
