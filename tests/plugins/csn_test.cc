#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "kinema/layers.h"
#include "tests/support/autocast.h"
#include "tests/support/block_count.h"
#include "tests/support/features.h"
#include "tests/support/pytorchvideo_reference.h"

namespace kinema {
namespace {

using test::tiny_pytorchvideo;
using ::testing::HasSubstr;

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("csn");
  return loaded;
}

TEST(csn, has_the_reference_state_dict) { test::PytorchvideoReference(plugin(), "csn_r101").expect_state(); }

TEST(csn, gives_the_reference_logits_and_gradients) {
  const test::PytorchvideoReference reference(plugin(), "csn_r101");
  const nlohmann::json one_case = test::golden("models/pytorchvideo_csn_r101_small.json")["cases"][0];
  Value options = plugin().preset("csn_r101");
  options.set("head_pool", Value(Value::Array{1, 2, 2}));
  const auto model = plugin().make(options, 400);
  test::expect_same_logits(*model, reference.file, one_case);
  test::expect_same_training(*model, reference.file, one_case);
}

TEST(csn, every_preset_trains) {
  for (const Preset& p : plugin().presets()) {
    SCOPED_TRACE(p.name);
    Value small = p.options;
    small.set("width", 2);
    small.set("zero_init_last_norm", false);
    test::expect_all_gradients(*plugin().make(small, 7), test::formula_clip({2, 3, 8, 64, 64}));
  }
}

TEST(csn, separates_channels_from_positions) {
  const auto model = plugin().make(tiny_pytorchvideo(), 2);
  int convolutions = 0;
  for (const auto& [path, module] : model->modules()) {
    const auto* conv = dynamic_cast<const Conv3d*>(module);
    if (!conv || path == "blocks.0.conv") continue;
    ++convolutions;
    const Conv3dOptions& o = conv->options();
    EXPECT_TRUE(o.kernel == Extent<3>(1) || (o.kernel == Extent<3>(3) && o.groups == o.in)) << path;
  }
  EXPECT_EQ(convolutions, 4 * 4);
}

TEST(csn, halves_frames_from_the_second_stage_on) {
  const ClipBatch clip = test::formula_clip({1, 3, 16, 64, 96});
  test::expect_features(*plugin().make(tiny_pytorchvideo(), 2), clip, {1, 128, 2, 2, 3});
  test::expect_features(*plugin().make(tiny_pytorchvideo({{"no_max_pool", true}}), 2), clip,
                        {1, 128, 2, 4, 6});
  const auto flow = plugin().make(tiny_pytorchvideo({{"modality", "flow"}}), 2);
  test::expect_features(*flow, test::formula_clip({1, 2, 9, 33, 31}, "flow"), {1, 128, 2, 2, 1});
}

TEST(csn, classifies_a_map_larger_than_the_window_at_several_places) {
  const auto model = plugin().make(tiny_pytorchvideo({{"head_pool", Value(Value::Array{1, 2, 2})}}), 3);
  model->train(false);
  const ClipBatch clip = test::formula_clip({1, 3, 16, 64, 96});
  const at::Tensor map = dynamic_cast<HasFeatures&>(*model).features(clip)[0];  // 2x2x3
  auto& proj = dynamic_cast<Linear&>(*model->find("blocks.5.proj"));
  // The middle column is in both windows.
  const at::Tensor columns = map.mean(at::IntArrayRef({2, 3}));
  const at::Tensor weighted =
      columns.select(2, 0).add(columns.select(2, 2)).div(4).add(columns.select(2, 1).div(2));
  const Output output = model->forward(clip);
  EXPECT_TRUE(output.logits.allclose(proj(weighted), 1e-4, 1e-5));
  EXPECT_TRUE(output.extra.empty());
}

TEST(csn, takes_the_smallest_clip_and_refuses_an_empty_one) {
  const auto model = plugin().make(tiny_pytorchvideo(), 3);
  model->train(false);
  EXPECT_EQ(model->forward(test::formula_clip({1, 3, 1, 1, 1})).logits.sizes(), (at::IntArrayRef{1, 3}));
  try {
    model->forward(test::formula_clip({1, 3, 2, 0, 8}));
    FAIL() << "took no rows";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "clip rgb: too small: expected at least 1 frame of 1x1, got 2 frames of 0x8");
  }
}

TEST(csn, residual_blocks_begin_as_identity_unless_told_otherwise) {
  for (const bool zero : {true, false}) {
    const auto model = plugin().make(tiny_pytorchvideo({{"zero_init_last_norm", zero}}), 2);
    int last = 0;
    for (const NamedTensor& named : model->parameters()) {
      if (named.name.find("norm") == std::string::npos || !named.name.ends_with("weight")) continue;
      const bool ends_block = named.name.ends_with("norm_c.weight");
      last += ends_block;
      EXPECT_EQ(named.tensor.abs().sum().item<double>() == 0, zero && ends_block) << named.name;
    }
    EXPECT_EQ(last, 4);
  }
}

TEST(csn, runs_each_residual_block_as_a_block) {
  EXPECT_EQ(
      test::blocks_run(*plugin().make(tiny_pytorchvideo({{"blocks", Value(Value::Array{1, 2, 1, 1})}}), 2),
                       test::formula_clip({2, 3, 8, 64, 64})),
      5);
}

TEST(csn, runs_in_bfloat16_and_in_any_memory_format) {
  const auto model = plugin().make(tiny_pytorchvideo({{"width", 8}}), 5);
  ClipBatch clip = test::formula_clip({2, 3, 8, 64, 64});
  test::expect_runs_in_bfloat16(*model, clip);
  const at::Tensor plain = model->forward(clip).logits;
  clip.clips["rgb"] = clip.rgb().contiguous(at::MemoryFormat::ChannelsLast3d);
  EXPECT_TRUE(model->forward(clip).logits.allclose(plain, 1e-4, 1e-5));
}

TEST(csn, reads_names_of_pytorchvideo_and_of_its_copies) {
  const nlohmann::json file = test::golden("models/pytorchvideo_csn_r101.json");
  Value options = plugin().preset("csn_r101");
  options.set("width", 2);
  const auto model = plugin().make(options, 2);
  const auto maps = dynamic_cast<HasKeyMaps&>(*model).checkpoint_key_maps();
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].name, "pytorchvideo");
  std::set<std::string> own;
  for (const NamedTensor& named : model->state()) own.insert(named.name);
  for (const char* prefix : {"", "model."}) {
    std::set<std::string> renamed;
    for (const nlohmann::json& entry : file["state_dict"]) {
      std::string key = prefix + entry[0].get<std::string>();
      for (const auto& [pattern, replacement] : maps[0].rewrites)
        key = std::regex_replace(key, std::regex(pattern), replacement);
      renamed.insert(key);
    }
    EXPECT_EQ(renamed, own);
  }
}

TEST(csn, refuses_options_that_make_no_network) {
  EXPECT_THAT(plugin().problems(tiny_pytorchvideo({{"blocks", Value(Value::Array{1, 1})}})),
              HasSubstr("wrong number of stages: expected 4 numbers in blocks, got 2"));
  EXPECT_THAT(plugin().problems(tiny_pytorchvideo({{"depth", 34}})), HasSubstr("50, 101, 152"));
  EXPECT_THAT(plugin().problems(tiny_pytorchvideo({{"head_pool", Value(Value::Array{7, 7})}})),
              HasSubstr("head_pool"));
}

}  // namespace
}  // namespace kinema
