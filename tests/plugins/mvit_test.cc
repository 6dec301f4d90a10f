#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/layers.h"
#include "kinema/run_context.h"
#include "tests/support/block_count.h"
#include "tests/support/key_maps.h"
#include "tests/support/reference_variants.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("mvit");
  return loaded;
}

Value list(std::initializer_list<int> numbers) { return Value(Value::Array(numbers.begin(), numbers.end())); }

Value with(Value options, std::initializer_list<std::pair<const char*, Value>> more) {
  for (const auto& [key, value] : more) options.set(key, value);
  return options;
}

// A preset with few channels and one block a stage, for 4 frames of 64x64.
Value tiny(const char* preset, std::initializer_list<std::pair<const char*, Value>> more = {}) {
  return with(with(plugin().preset(preset),
                   {{"frames", 4}, {"crop", 64}, {"embed_dim", 8}, {"depths", list({1, 1, 1, 1})}}),
              more);
}

struct Reference {
  const char* preset;
  const char* torchvision;
  const char* pyslowfast;
};
class mvit_reference : public testing::TestWithParam<Reference> {};

TEST_P(mvit_reference, has_the_torchvision_state_dict_and_reads_the_names_of_pyslowfast) {
  const auto model = plugin().make(plugin().preset(GetParam().preset), 400);
  test::expect_same_state(
      *model, test::golden(std::string("models/torchvision_") + GetParam().torchvision + ".json"));
  EXPECT_TRUE(test::key_map(*model, "torchvision").rewrites.empty());
  test::expect_same_names(*model, test::key_map(*model, "pyslowfast"),
                          test::golden(std::string("models/pyslowfast_") + GetParam().pyslowfast + ".json"));
}

INSTANTIATE_TEST_SUITE_P(presets, mvit_reference,
                         testing::Values(Reference{"mvit_v1_b_16x4", "mvit_v1_b", "mvit_b_16x4"},
                                         Reference{"mvit_v2_s_16x4", "mvit_v2_s", "mvitv2_s_16x4"}),
                         [](const auto& info) { return std::string(info.param.preset); });

TEST(mvit, gives_the_reference_numbers_for_other_sizes_and_options) {
  test::expect_same_variants(plugin(), "models/torchvision_mvit_variants.json");
}

TEST(mvit, every_preset_trains) {
  for (const Preset& p : plugin().presets()) {
    SCOPED_TRACE(p.name);
    const auto model = plugin().make(tiny(p.name.c_str(), {{"stochastic_depth", 0.0}}), 7);
    // The classifier sees the class token alone, which has no place; a shift of all keys changes nothing.
    test::expect_all_gradients(
        *model, test::formula_clip({2, 3, 4, 64, 64}),
        {"blocks.3.attn.pool_q.pool.weight", "blocks.3.attn.rel_pos_h", "blocks.3.attn.rel_pos_w",
         "blocks.3.attn.rel_pos_t", "attn.pool_k.norm_act.0.bias"});
  }
}

TEST(mvit, tables_begin_as_a_truncated_normal_and_biases_at_zero) {
  const auto model = plugin().make(tiny("mvit_v1_b_16x4", {{"embed_dim", 96}}), 3);
  for (const NamedTensor& named : model->parameters()) {
    SCOPED_TRACE(named.name);
    const bool linear = named.name.find("qkv") != std::string::npos || named.name.ends_with("project.weight");
    if (named.name.starts_with("pos_encoding") || (linear && named.name.ends_with("weight"))) {
      EXPECT_NEAR(named.tensor.std().item<double>(), 0.02, 0.004);
    }
    if (linear && named.name.ends_with("bias")) {
      EXPECT_EQ(named.tensor.abs().max().item<double>(), 0);
    }
  }
}

TEST(mvit, maps_are_the_tokens_of_the_last_block_with_and_without_the_head) {
  for (const char* preset : {"mvit_v1_b_16x4", "mvit_v2_s_16x4"}) {
    const auto model = plugin().make(tiny(preset), 3);
    auto& backbone = dynamic_cast<HasFeatures&>(*model);
    model->train(false);
    const ClipBatch clip = test::formula_clip({2, 3, 4, 64, 64});
    const at::Tensor maps = backbone.features(clip).at(0);
    EXPECT_EQ(maps.sizes(), (at::IntArrayRef{2, 64, 2, 2, 2}));
    EXPECT_EQ(backbone.feature_channels(), std::vector<std::int64_t>{64});
    model->erase(backbone.head());
    EXPECT_TRUE(backbone.features(clip).at(0).equal(maps));
    for (const NamedTensor& named : model->parameters()) EXPECT_FALSE(named.name.starts_with("head"));
  }
}

TEST(mvit, each_block_is_a_block_of_the_run_context) {
  EXPECT_EQ(
      test::blocks_run(*plugin().make(tiny("mvit_v2_s_16x4"), 2), test::formula_clip({1, 3, 4, 64, 64})), 4);
}

TEST(mvit, runs_under_autocast) {
  for (const char* preset : {"mvit_v1_b_16x4", "mvit_v2_s_16x4"}) {
    const auto model = plugin().make(tiny(preset, {{"stochastic_depth", 0.0}, {"dropout", 0.0}}), 5);
    const ClipBatch clip = test::formula_clip({2, 3, 4, 64, 64});
    const at::Tensor exact = model->forward(clip).logits;
    at::autocast::set_autocast_enabled(at::kCPU, true);
    const at::Tensor coarse = model->forward(clip).logits;
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
    EXPECT_TRUE(coarse.to(at::kFloat).allclose(exact, 0.1, 0.02)) << coarse << exact;
    coarse.to(at::kFloat).sum().backward();
  }
}

TEST(mvit, the_last_block_leaves_out_its_branches_when_told_so_in_train_mode) {
  const auto model = plugin().make(tiny("mvit_v2_s_16x4", {{"stochastic_depth", 1.0}, {"dropout", 0.0}}), 3);
  struct Tap : RunContext::Tap {
    at::Tensor branch;
    void ran(const Module& module, std::string_view, const at::Tensor&, const at::Tensor& y) override {
      if (module.path() == "blocks.3.stochastic_depth") branch = y;
    }
  } tap;
  RunContext context;
  context.tap = &tap;
  const RunContextScope scope(context);
  model->forward(test::formula_clip({1, 3, 4, 64, 64}));
  EXPECT_EQ(tap.branch.abs().max().item<double>(), 0);
  model->train(false);
  model->forward(test::formula_clip({1, 3, 4, 64, 64}));
  EXPECT_GT(tap.branch.abs().max().item<double>(), 0);
}

TEST(mvit, drops_out_before_the_classifier_in_train_mode_only) {
  const auto model = plugin().make(tiny("mvit_v1_b_16x4", {{"dropout", 1.0}}), 3);
  init::constant(dynamic_cast<Linear&>(*model->find("head.1")).bias(), 5);
  const ClipBatch clip = test::formula_clip({2, 3, 4, 64, 64});
  EXPECT_TRUE(model->forward(clip).logits.eq(5).all().item<bool>());
  model->train(false);
  EXPECT_FALSE(model->forward(clip).logits.eq(5).all().item<bool>());
}

TEST(mvit, reads_flow_when_asked_to) {
  const auto model = plugin().make(tiny("mvit_v1_b_16x4", {{"modality", "flow"}}), 2);
  EXPECT_EQ(model->forward(test::formula_clip({1, 2, 4, 64, 64}, "flow")).logits.sizes(),
            (at::IntArrayRef{1, 2}));
}

TEST(mvit, refuses_clips_that_its_tables_are_not_for) {
  const auto model = plugin().make(tiny("mvit_v2_s_16x4"), 2);
  EXPECT_THAT(test::run_error(*model, test::formula_clip({1, 3, 4, 64, 80})),
              HasSubstr("clip rgb: wrong size: expected 4 frames of 64x64, got 4 frames of 64x80"));
  EXPECT_THAT(test::run_error(*model, test::formula_clip({1, 3, 1, 2, 2})), HasSubstr("wrong size"));
  EXPECT_THAT(test::run_error(*model, test::formula_clip({1, 2, 4, 64, 64})), HasSubstr("wrong shape"));
}

TEST(mvit, refuses_options_that_make_no_network) {
  const auto problems = [](std::initializer_list<std::pair<const char*, Value>> more) {
    return plugin().problems(tiny("mvit_v2_s_16x4", more));
  };
  EXPECT_EQ(problems({}), "");
  EXPECT_THAT(problems({{"heads", list({1, 2})}}),
              HasSubstr("wrong number of stages in heads: expected 4 as in depths, got 2"));
  EXPECT_THAT(problems({{"heads", list({1, 2, 4, 7})}}),
              HasSubstr("wrong heads: expected divisors of the 64 channels, got 7"));
  EXPECT_THAT(problems({{"depths", Value(Value::Array{})}}), HasSubstr("no stages"));
  EXPECT_THAT(
      problems({{"crop", 66}}),
      HasSubstr("wrong frames or crop: expected multiples of the patches' stride 2 and 4 that give as many "
                "patches, got 4 and 66"));
  EXPECT_THAT(problems({{"crop", 8}}), HasSubstr("too small for relative positions in every stage"));
  EXPECT_THAT(problems({{"pool_kernel", list({2, 2, 2})}}), HasSubstr("wrong pool_kernel or q_stride"));
  EXPECT_THAT(problems({{"q_stride", list({1, 2})}}), HasSubstr("q_stride"));
  EXPECT_THAT(problems({{"positions", "none"}}), HasSubstr("absolute"));
}

}  // namespace
}  // namespace kinema
