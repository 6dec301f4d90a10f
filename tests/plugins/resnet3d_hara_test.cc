#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinema/layers.h"
#include "tests/support/autocast.h"
#include "tests/support/features.h"
#include "tests/support/hara_reference.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("resnet3d");
  return loaded;
}

Value hara(std::initializer_list<std::pair<const char*, Value>> more) {
  Value options = Value::table({{"layout", "hara"}});
  for (const auto& [key, value] : more) options.set(key, value);
  return options;
}

// Channels of each stage's output.
std::vector<std::int64_t> channels(const Value& options) {
  const auto model = plugin().make(options, 2);
  std::vector<std::int64_t> found;
  for (int s = 1; s <= 4; ++s) {
    const Module* last = model->find("layer" + std::to_string(s) + ".0.bn2");
    found.push_back(last->parameters()[0].tensor.numel());
  }
  return found;
}

class hara_state : public testing::TestWithParam<const char*> {};

TEST_P(hara_state, is_the_references) { test::HaraReference(plugin(), GetParam()).expect_state(); }

// The others are in resnet3d_hara_slow_test.cc.
INSTANTIATE_TEST_SUITE_P(presets, hara_state,
                         testing::Values("resnet3d_10", "resnet3d_18", "resnet3d_50", "resnet2p1d_18",
                                         "preresnet3d_18", "resnext3d_50"),
                         [](const auto& info) { return std::string(info.param); });

struct Case {
  const char* preset;
  const char* id;
};
class hara_numbers : public testing::TestWithParam<Case> {};

TEST_P(hara_numbers, are_the_references) {
  test::HaraReference(plugin(), GetParam().preset).expect_case(GetParam().id);
}

INSTANTIATE_TEST_SUITE_P(
    presets, hara_numbers,
    testing::Values(Case{"resnet3d_10", "small"}, Case{"resnet3d_10", "true"}, Case{"resnet3d_18", "small"},
                    Case{"resnet3d_18", "no_max_pool_t5_flow2"}, Case{"resnet3d_18", "shortcut_A"},
                    Case{"resnet2p1d_18", "small"}, Case{"preresnet3d_18", "small"}),
    [](const auto& info) { return std::string(info.param.preset) + "_" + info.param.id; });

struct Counts {
  int depth;
  std::int64_t parameters;  // with 400 classes
  std::int64_t shortcut_a;  // the same without convolutions in shortcuts
};

TEST(hara_resnet, has_as_many_parameters_as_published) {
  for (const Counts& c : {Counts{10, 14604624, 14430800}, Counts{18, 33409104, 33235280}}) {
    EXPECT_EQ(test::parameters(*plugin().make(hara({{"depth", c.depth}}), 400)), c.parameters);
    EXPECT_EQ(test::parameters(*plugin().make(hara({{"depth", c.depth}, {"shortcut", "A"}}), 400)),
              c.shortcut_a);
  }
  EXPECT_EQ(test::parameters(*plugin().make(hara({{"depth", 10}}), 101)), 14451237);
  EXPECT_EQ(test::parameters(*plugin().make(hara({{"depth", 10}}), 700)), 14758524);
  EXPECT_EQ(test::parameters(*plugin().make(hara({{"depth", 18}}), 101)), 33255717);
}

TEST(hara_resnet, every_preset_trains) {
  for (const Preset& p : plugin().presets()) {
    if (p.options.find("layout")->as_string() != "hara") continue;
    SCOPED_TRACE(p.name);
    Value small = p.options;
    const bool grouped = p.options.find("block")->as_string() == "resnext";
    small.set("width", grouped ? 32 : 4);
    test::expect_all_gradients(*plugin().make(small, 7), test::formula_clip({2, 3, 4, 48, 48}));
  }
}

TEST(hara_resnet, options_shape_the_network) {
  const Value wide = hara({{"widen_factor", 1.3}, {"width", 10}, {"depth", 10}});
  EXPECT_EQ(channels(wide), (std::vector<std::int64_t>{13, 26, 52, 104}));
  EXPECT_EQ(channels(hara({{"widen_factor", 0.7}, {"width", 9}, {"depth", 10}})),
            (std::vector<std::int64_t>{6, 12, 25, 50}));
  const auto stem =
      plugin().make(hara({{"stem_frames", 3}, {"stem_stride", 2}, {"width", 4}, {"depth", 10}}), 2);
  const auto& conv = dynamic_cast<const Conv3d&>(*stem->find("conv1")).options();
  EXPECT_EQ(conv.kernel, Extent<3>(3, 7, 7));
  EXPECT_EQ(conv.stride, Extent<3>(2, 2, 2));
  EXPECT_EQ(conv.padding, Extent<3>(1, 3, 3));
  const Value grouped = hara({{"block", "resnext"},
                              {"depth", 50},
                              {"width", 64},
                              {"cardinality", 4},
                              {"blocks", Value(Value::Array{1, 1})}});
  const auto& second =
      dynamic_cast<const Conv3d&>(*plugin().make(grouped, 2)->find("layer2.0.conv2")).options();
  EXPECT_EQ(second.groups, 4);
  EXPECT_EQ(second.in, 16);
}

TEST(hara_resnet, blocks_override_those_of_the_depth_and_may_leave_out_stages) {
  for (const int depth : {18, 50}) {
    const auto model =
        plugin().make(hara({{"depth", depth}, {"width", 8}, {"blocks", Value(Value::Array{1, 2})}}), 7);
    EXPECT_NE(model->find("layer2.1"), nullptr);
    EXPECT_EQ(model->find("layer2.2"), nullptr);
    EXPECT_EQ(model->find("layer3"), nullptr);
    EXPECT_EQ(model->find("layer1.0.conv3") != nullptr, depth == 50);
    test::expect_all_gradients(*model, test::formula_clip({2, 3, 5, 30, 34}));
  }
}

TEST(hara_resnet, shortcut_a_lets_the_gradient_through) {
  const auto model = plugin().make(hara({{"shortcut", "A"}, {"width", 4}, {"depth", 10}}), 7);
  for (const NamedTensor& named : model->parameters())
    if (named.name.ends_with("bn2.weight")) {
      at::Tensor weight = named.tensor;
      init::constant(weight, 0);  // nothing comes through the branches
    }
  model->forward(test::formula_clip({2, 3, 8, 64, 64})).logits.sum().backward();
  EXPECT_GT(model->find("conv1")->parameters()[0].tensor.grad().abs().sum().item<double>(), 0);
}

TEST(hara_resnet, runs_on_the_smallest_clip_and_in_any_memory_format) {
  for (const char* block : {"basic3d", "2plus1d", "preact"})
    for (const char* shortcut : {"A", "B"}) {
      const auto model =
          plugin().make(hara({{"block", block}, {"shortcut", shortcut}, {"width", 4}, {"depth", 10}}), 3);
      model->train(false);
      EXPECT_EQ(model->forward(test::formula_clip({1, 3, 1, 1, 1})).logits.sizes(), (at::IntArrayRef{1, 3}));
      ClipBatch clip = test::formula_clip({2, 3, 5, 31, 45});
      const at::Tensor plain = model->forward(clip).logits;
      clip.clips["rgb"] = clip.rgb().contiguous(at::MemoryFormat::ChannelsLast3d);
      EXPECT_TRUE(model->forward(clip).logits.allclose(plain, 1e-4, 1e-5));
    }
}

TEST(hara_resnet, runs_in_bfloat16) {
  for (const char* block : {"basic3d", "2plus1d", "preact"})
    for (const char* shortcut : {"A", "B"}) {
      const auto model =
          plugin().make(hara({{"block", block}, {"shortcut", shortcut}, {"width", 8}, {"depth", 10}}), 5);
      test::expect_runs_in_bfloat16(*model, test::formula_clip({2, 3, 8, 48, 48}));
    }
}

TEST(hara_resnet, gives_its_maps_with_and_without_the_classifier) {
  const ClipBatch clip = test::formula_clip({1, 3, 9, 40, 50});
  test::expect_features(*plugin().make(hara({{"width", 4}, {"depth", 50}}), 3), clip, {1, 128, 1, 2, 2});
  test::expect_features(*plugin().make(hara({{"width", 4}, {"depth", 10}, {"no_max_pool", true}}), 3), clip,
                        {1, 32, 2, 3, 4});
}

TEST(hara_resnet, initialises_convolutions_for_relu_and_the_classifier_as_torch) {
  const auto model = plugin().make(hara({{"width", 32}, {"depth", 10}}), 50);
  const auto deviation = [&](const char* path) {
    return model->find(path)->parameters()[0].tensor.std().item<double>();
  };
  EXPECT_NEAR(deviation("layer2.0.conv2"), std::sqrt(2.0 / (64 * 27)), 2e-3);
  EXPECT_NEAR(deviation("fc"), 1 / std::sqrt(3.0 * 256), 2e-3);
}

TEST(hara_resnet, reads_names_of_3d_resnets_as_they_are) {
  const auto model = plugin().make(hara({{"width", 4}, {"depth", 10}}), 2);
  const auto maps = dynamic_cast<HasKeyMaps&>(*model).checkpoint_key_maps();
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_TRUE(maps[0].name == "3d_resnets" && maps[0].rewrites.empty() && maps[0].constants.empty());
}

TEST(hara_resnet, refuses_options_that_make_no_network) {
  const auto problems = [](std::initializer_list<std::pair<const char*, Value>> more) {
    return plugin().problems(hara(more));
  };
  EXPECT_THAT(
      problems({{"block", "mixed"}}),
      HasSubstr("wrong block: expected \"basic3d\", \"2plus1d\", \"preact\", \"wide\" or \"resnext\" with "
                "layout = \"hara\", got \"mixed\""));
  EXPECT_THAT(problems({{"stem", "r2plus1d"}}),
              HasSubstr("stem has no effect: expected layout = \"torchvision\" with it, got \"hara\""));
  EXPECT_THAT(problems({{"block", "wide"}, {"depth", 18}}),
              HasSubstr("wrong depth: expected 50, 101, 152 or 200 with block = \"wide\", got 18"));
  EXPECT_THAT(problems({{"cardinality", 8}}),
              HasSubstr("cardinality has no effect: expected block = \"resnext\" with it, got \"basic3d\""));
  EXPECT_THAT(
      problems({{"block", "resnext"}, {"depth", 50}, {"width", 24}}),
      HasSubstr("wrong cardinality: expected a divisor of the channels between 1x1x1 convolutions, 24 in a "
                "stage of 24, got 32"));
  EXPECT_THAT(problems({{"width", 8}, {"widen_factor", 0.1}}),
              HasSubstr("wrong widen_factor: expected one that leaves channels of width = 8, got 0.1"));
  EXPECT_THAT(problems({{"depth", 11}}), HasSubstr("10, 18, 34, 50, 101, 152, 200"));
  EXPECT_THAT(problems({{"blocks", Value(Value::Array{1, 1, 1, 1, 1})}}), HasSubstr("too many stages"));
  EXPECT_NE(problems({{"widen_factor", 0}}), "");
  EXPECT_NE(problems({{"stem_frames", 0}}), "");
  EXPECT_NE(problems({{"shortcut", "C"}}), "");
  EXPECT_EQ(problems({{"block", "resnext"}, {"depth", 50}, {"width", 128}, {"cardinality", 16}}), "");
}

}  // namespace
}  // namespace kinema
