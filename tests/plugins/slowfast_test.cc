#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "kinema/layers.h"
#include "kinema/run_context.h"
#include "tests/support/block_count.h"
#include "tests/support/pathway_reference.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("slowfast");
  return loaded;
}

// A network with one narrow block a stage.
Value tiny(std::initializer_list<std::pair<const char*, Value>> more = {}) {
  Value options = Value::table({{"blocks", Value(Value::Array{1, 1, 1, 1})},
                                {"width", 8},
                                {"beta", 4},
                                {"alpha", 4},
                                {"zero_init_last_norm", false}});
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

struct Case {
  const char* preset;
  const char* file;
};
class slowfast_state : public testing::TestWithParam<Case> {};

TEST_P(slowfast_state, has_the_reference_state_dict) {
  test::PathwayReference(plugin(), GetParam().preset, GetParam().file).expect_state();
}

INSTANTIATE_TEST_SUITE_P(presets, slowfast_state,
                         testing::Values(Case{"c2d_r50", "c2d_r50"}, Case{"c2d_nln_r50", "c2d_nln_r50"},
                                         Case{"slow_4x16_r50", "slow_4x16_r50"},
                                         Case{"slow_8x8_r50", "slow_8x8_r50"},
                                         Case{"slow_nln_8x8_r50", "slow_nln_8x8_r50"},
                                         Case{"slowfast_4x16_r50", "slowfast_4x16_r50"},
                                         Case{"slowfast_8x8_r50", "slowfast_8x8_r50"},
                                         Case{"slowfast_8x8_r101", "slowfast_8x8_r101_101_101"},
                                         Case{"slowfast_8x8_r101_50_50", "slowfast_8x8_r101_50_50"},
                                         Case{"ava_slow_4x16_r50", "ava_slow_r50"},
                                         Case{"ava_slowfast_32x2_r50", "ava_slowfast_32x2_r50"}),
                         [](const auto& info) { return std::string(info.param.preset); });

class slowfast_numbers : public testing::TestWithParam<Case> {};

TEST_P(slowfast_numbers, are_the_reference_logits_and_gradients) {
  test::PathwayReference reference(plugin(), GetParam().preset, GetParam().file);
  reference.expect_logits("small");
  reference.expect_training("small");
}

// The others are in pathway_resnets_slow_test.cc.
INSTANTIATE_TEST_SUITE_P(presets, slowfast_numbers,
                         testing::Values(Case{"slowfast_8x8_r50", "slowfast_8x8_r50"},
                                         Case{"ava_slow_4x16_r50", "ava_slow_r50"}),
                         [](const auto& info) { return std::string(info.param.preset); });

TEST(slowfast, averages_probabilities_over_the_places_of_a_clip_larger_than_the_training_clips) {
  test::PathwayReference reference(plugin(), "slow_8x8_r50", "slow_8x8_r50");
  reference.expect_logits("train64_test96");
}

TEST(slowfast, every_architecture_trains) {
  for (const char* name : {"c2d", "slow_c2d", "slow", "slowfast"}) {
    SCOPED_TRACE(name);
    const auto model = plugin().make(tiny({{"architecture", name}}), 7);
    test::expect_all_gradients(*model, test::formula_clip({2, 3, 8, 64, 64}));
  }
}

TEST(slowfast, non_local_blocks_train_and_one_option_removes_them) {
  for (const char* kind : {"softmax", "dot_product"}) {
    SCOPED_TRACE(kind);
    Value options =
        tiny({{"nonlocal", kind},
              {"nonlocal_blocks", Value(Value::Array{Value(Value::Array{}), Value(Value::Array{0}),
                                                     Value(Value::Array{0}), Value(Value::Array{})})}});
    const auto model = plugin().make(options, 7);
    ASSERT_NE(model->find("s3.pathway0_nonlocal0"), nullptr);
    ASSERT_NE(model->find("s4.pathway0_nonlocal0"), nullptr);
    EXPECT_EQ(model->find("s3.pathway1_nonlocal0"), nullptr);
    // A shift of all scores, or one that the next batch norm takes away, changes nothing.
    test::expect_all_gradients(*model, test::formula_clip({2, 3, 8, 64, 64}),
                               {"conv_phi.bias", "conv_theta.bias", "conv_out.bias", "conv_g.bias"});
    options.set("nonlocal", "none");
    EXPECT_EQ(plugin().make(options, 7)->find("s3.pathway0_nonlocal0"), nullptr);
  }
}

TEST(slowfast, non_local_blocks_stand_where_they_were_published) {
  const auto places = [](int depth) {
    Value options = Value::table({{"depth", depth}, {"width", 8}, {"nonlocal", "dot_product"}});
    std::vector<std::string> found;
    for (const auto& [path, module] : plugin().make(options, 2)->modules())
      if (path.find("nonlocal") != std::string::npos && path.find('.') == path.rfind('.'))
        found.push_back(path);
    return found;
  };
  EXPECT_THAT(places(50),
              testing::ElementsAre("s3.pathway0_nonlocal1", "s3.pathway0_nonlocal3", "s4.pathway0_nonlocal1",
                                   "s4.pathway0_nonlocal3", "s4.pathway0_nonlocal5"));
  EXPECT_THAT(places(101), testing::ElementsAre("s4.pathway0_nonlocal6", "s4.pathway0_nonlocal13",
                                                "s4.pathway0_nonlocal20"));
}

struct Frames : RunContext::Tap {
  std::map<std::string, std::vector<std::int64_t>> seen;
  void ran(const Module&, std::string_view name, const at::Tensor& x, const at::Tensor&) override {
    if (!name.ends_with("_stem")) return;
    const at::Tensor frames = x.select(0, 0).select(0, 0).select(1, 0).select(1, 0);
    for (std::int64_t t = 0; t < frames.size(0); ++t)
      seen[std::string(name)].push_back(frames[t].item<std::int64_t>());
  }
};

TEST(slowfast, the_slow_pathway_sees_the_frames_that_the_reference_selects) {
  struct Selection {
    int frames, alpha;
    std::vector<std::int64_t> slow;
  };
  const Selection selections[] = {{32, 4, {0, 4, 8, 13, 17, 22, 26, 31}},
                                  {32, 8, {0, 10, 20, 31}},
                                  {64, 4, {0, 4, 8, 12, 16, 21, 25, 29, 33, 37, 42, 46, 50, 54, 58, 63}},
                                  {48, 4, {0, 4, 8, 12, 17, 21, 25, 29, 34, 38, 42, 47}},
                                  {16, 8, {0, 15}},
                                  {8, 8, {0}}};
  for (const Selection& s : selections) {
    Frames tap;
    RunContext context;
    context.tap = &tap;
    const RunContextScope scope(context);
    ClipBatch batch;
    batch.clips["rgb"] = at::arange(s.frames, at::kFloat).view({1, 1, -1, 1, 1}).repeat({1, 3, 1, 32, 32});
    const auto model = plugin().make(tiny({{"alpha", s.alpha}}), 2);
    model->train(false);
    model->forward(batch);
    EXPECT_EQ(tap.seen["pathway0_stem"], s.slow) << s.frames << "/" << s.alpha;
    EXPECT_EQ(tap.seen["pathway1_stem"].size(), static_cast<std::size_t>(s.frames));
  }
}

TEST(slowfast, residual_blocks_begin_as_identity_unless_told_otherwise) {
  for (const bool zero : {true, false}) {
    const Value places = Value(Value::Array{Value(Value::Array{0}), Value(Value::Array{}),
                                            Value(Value::Array{}), Value(Value::Array{})});
    const auto model = plugin().make(
        tiny({{"zero_init_last_norm", zero}, {"nonlocal", "softmax"}, {"nonlocal_blocks", places}}), 2);
    int last = 0;
    for (const NamedTensor& named : model->parameters()) {
      const bool ends_block =
          named.name.ends_with("branch2.c_bn.weight") || named.name.ends_with("nonlocal0.bn.weight");
      if (!ends_block && !named.name.ends_with("bn.weight")) continue;
      last += ends_block;
      EXPECT_EQ(named.tensor.abs().sum().item<double>() == 0, zero && ends_block) << named.name;
    }
    EXPECT_EQ(last, 9);
  }
}

TEST(slowfast, probabilities_come_in_eval_mode_only) {
  for (const char* activation : {"softmax", "sigmoid"}) {
    const auto model = plugin().make(tiny({{"activation", activation}}), 5);
    const ClipBatch clip = test::formula_clip({2, 3, 4, 64, 64});
    EXPECT_TRUE(model->forward(clip).extra.empty());
    model->train(false);
    const Output output = model->forward(clip);
    const at::Tensor expected =
        std::string(activation) == "softmax" ? output.logits.softmax(1) : output.logits.sigmoid();
    EXPECT_TRUE(output.extra.at("probabilities").allclose(expected, 1e-5, 1e-7)) << activation;
  }
}

TEST(slowfast, clips_smaller_than_the_training_clips_are_seen_whole) {
  const auto model = plugin().make(tiny({{"crop", 224}}), 2);
  model->train(false);
  EXPECT_EQ(model->forward(test::formula_clip({1, 3, 4, 40, 56})).logits.sizes(), (at::IntArrayRef{1, 2}));
}

TEST(slowfast, drops_out_before_the_classifier_in_train_mode_only) {
  const auto model = plugin().make(tiny({{"dropout", 1.0}}), 3);
  init::constant(dynamic_cast<Linear&>(*model->find("head.projection")).bias(), 5);
  const ClipBatch clip = test::formula_clip({2, 3, 4, 64, 64});
  EXPECT_TRUE(model->forward(clip).logits.eq(5).all().item<bool>());
  model->train(false);
  EXPECT_FALSE(model->forward(clip).logits.eq(5).all().item<bool>());
}

TEST(slowfast, runs_the_stem_and_each_residual_block_as_a_block) {
  EXPECT_EQ(test::blocks_run(*plugin().make(tiny({{"blocks", Value(Value::Array{1, 2, 1, 1})}}), 2),
                             test::formula_clip({2, 3, 4, 64, 64})),
            2 * (1 + 5));
}

TEST(slowfast, refuses_clips_that_do_not_fit) {
  const auto model = plugin().make(tiny(), 2);
  EXPECT_EQ(run_error(*model, test::formula_clip({1, 3, 6, 32, 32})),
            "clip rgb: wrong number of frames: expected a multiple of alpha = 4, got 6");
  EXPECT_THAT(run_error(*model, test::formula_clip({1, 2, 4, 32, 32})), HasSubstr("wrong shape"));
  EXPECT_EQ(
      run_error(*plugin().make(tiny({{"architecture", "c2d"}}), 2), test::formula_clip({1, 3, 1, 32, 32})),
      "clip rgb: wrong number of frames: expected at least 2, got 1");
}

TEST(slowfast, refuses_options_that_make_no_network) {
  const auto problems = [](std::initializer_list<std::pair<const char*, Value>> more) {
    return plugin().problems(tiny(more));
  };
  const Value lists = Value(Value::Array{Value(Value::Array{}), Value(Value::Array{0, 1}),
                                         Value(Value::Array{}), Value(Value::Array{})});
  EXPECT_THAT(problems({{"blocks", Value(Value::Array{1, 1})}}),
              HasSubstr("wrong number of stages: expected 4 numbers in blocks, got 2"));
  EXPECT_THAT(problems({{"nonlocal_blocks", lists}}),
              HasSubstr("no such block in nonlocal_blocks: expected numbers below 1 for stage 2, got 1"));
  EXPECT_THAT(problems({{"nonlocal_blocks", Value(Value::Array{Value(Value::Array{})})}}),
              HasSubstr("wrong number of stages in nonlocal_blocks: expected 4 lists, got 1"));
  EXPECT_THAT(problems({{"nonlocal", "softmax"}}), HasSubstr("nonlocal_blocks is missing: expected a list"));
  EXPECT_THAT(problems({{"nonlocal_pool", Value(Value::Array{2, 2})}}), HasSubstr("nonlocal_pool"));
  EXPECT_THAT(problems({{"beta", 3}}), HasSubstr("wrong beta: expected a divisor of width = 8, got 3"));
  EXPECT_THAT(problems({{"fusion_kernel", 4}}),
              HasSubstr("wrong fusion_kernel: expected an odd number, got 4"));
  EXPECT_THAT(problems({{"temporal_blocks", Value(Value::Array{1, 1, 1})}}),
              HasSubstr("too many numbers in temporal_blocks"));
  EXPECT_THAT(problems({{"detection", true}}), HasSubstr("wrong activation: expected \"sigmoid\""));
  EXPECT_THAT(problems({{"depth", 34}}), HasSubstr("50, 101"));
}

TEST(slowfast, reads_checkpoint_names_of_pytorchvideo) {
  const nlohmann::json keys = test::golden("models/pytorchvideo_keys.json")["keys"];
  const std::map<std::string, std::string> presets = {
      {"slow_r50", "slow_8x8_r50"}, {"slowfast_r50", "slowfast_8x8_r50"}, {"c2d_r50", "c2d_r50"}};
  for (const auto& [file, preset] : presets) {
    SCOPED_TRACE(file);
    Value options = plugin().preset(preset);
    options.set("width", 8);
    const auto model = plugin().make(options, 2);
    const auto maps = dynamic_cast<HasKeyMaps&>(*model).checkpoint_key_maps();
    ASSERT_GE(maps.size(), 2u);
    EXPECT_TRUE(maps[0].name == "pyslowfast" && maps[0].rewrites.empty());
    EXPECT_EQ(maps[1].name, "pytorchvideo");
    std::set<std::string> renamed, own;
    for (std::string key : keys[file]) {
      for (const auto& [pattern, replacement] : maps[1].rewrites)
        key = std::regex_replace(key, std::regex(pattern), replacement);
      renamed.insert(key);
    }
    for (const NamedTensor& named : model->state()) own.insert(named.name);
    EXPECT_EQ(renamed, own);
  }
}

TEST(slowfast, classifies_boxes_of_several_clips) {
  const auto model = plugin().make(tiny({{"detection", true}, {"activation", "sigmoid"}}), 6);
  ClipBatch batch = test::formula_clip({2, 3, 4, 64, 64});
  EXPECT_EQ(run_error(*model, batch),
            "boxes: wrong shape: expected [boxes, 5] (batch index, x1, y1, x2, y2), got none");
  batch.boxes = at::arange(10, at::kFloat).view({2, 5});
  batch.boxes.select(1, 0).copy_(at::arange(2));
  test::expect_all_gradients(*model, batch);
  EXPECT_EQ(model->forward(batch).logits.sizes(), (at::IntArrayRef{2, 6}));
  batch.boxes = batch.boxes.slice(0, 0, 0);
  EXPECT_EQ(model->forward(batch).logits.sizes(), (at::IntArrayRef{0, 6}));
}

}  // namespace
}  // namespace kinema
