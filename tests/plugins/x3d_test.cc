#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/layers.h"
#include "tests/support/block_count.h"
#include "tests/support/key_map.h"
#include "tests/support/pathway_reference.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("x3d");
  return loaded;
}

Value with(Value options, std::initializer_list<std::pair<const char*, Value>> more) {
  for (const auto& [key, value] : more) options.set(key, value);
  return options;
}

Value narrow(Value options) {
  return with(options,
              {{"stem_width", 4}, {"width_factor", 1.5}, {"head_width", 24}, {"zero_init_last_norm", false}});
}

// Stages of 1, 1, 3 and 2 narrow blocks.
Value tiny(std::initializer_list<std::pair<const char*, Value>> more = {}) {
  return with(with(narrow(Value::table()), {{"depth_factor", 0.5}}), more);
}

at::IntArrayRef shape_of(Model& model, const std::string& parameter) {
  for (const NamedTensor& named : model.state())
    if (named.name == parameter) return named.tensor.sizes();
  throw std::runtime_error("no parameter " + parameter);
}

class x3d_state : public testing::TestWithParam<const char*> {};

TEST_P(x3d_state, has_the_reference_state_dict) {
  test::PathwayReference(plugin(), GetParam(), GetParam()).expect_state();
}

INSTANTIATE_TEST_SUITE_P(presets, x3d_state, testing::Values("x3d_xs", "x3d_s", "x3d_m", "x3d_l"),
                         [](const auto& info) { return std::string(info.param); });

// The others are in x3d_slow_test.cc.
TEST(x3d, x3d_xs_gives_the_reference_logits_and_gradients) {
  test::PathwayReference reference(plugin(), "x3d_xs", "x3d_xs");
  reference.expect_logits("small");
  reference.expect_training("small");
}

TEST(x3d, every_preset_trains) {
  for (const Preset& preset : plugin().presets()) {
    SCOPED_TRACE(preset.name);
    const auto model = plugin().make(narrow(preset.options), 7);
    test::expect_all_gradients(*model, test::formula_clip({2, 3, 4, 64, 64}));
  }
}

TEST(x3d, the_axes_of_the_paper_shape_the_network) {
  const auto wide = plugin().make(tiny({{"width_factor", 3.0}}), 2);
  EXPECT_EQ(shape_of(*wide, "s1.pathway0_stem.conv_xy.weight"), (at::IntArrayRef{12, 3, 1, 3, 3}));
  const auto deep = plugin().make(tiny({{"depth_factor", 1.1}}), 2);
  EXPECT_NE(deep->find("s4.pathway0_res5"), nullptr);
  EXPECT_EQ(deep->find("s4.pathway0_res6"), nullptr);
  const auto thick = plugin().make(tiny({{"bottleneck_factor", 3.5}}), 2);
  EXPECT_EQ(shape_of(*thick, "s2.pathway0_res0.branch2.b.weight"), (at::IntArrayRef{21, 1, 3, 3, 3}));
}

TEST(x3d, the_other_options_shape_it_too) {
  const auto dense = plugin().make(tiny({{"channelwise", false}, {"scale_res2", true}}), 7);
  EXPECT_EQ(shape_of(*dense, "s2.pathway0_res0.branch2.b.weight"), (at::IntArrayRef{27, 27, 3, 3, 3}));
  const auto plain = plugin().make(tiny({{"se_ratio", 0.0}, {"head_norm", true}}), 7);
  EXPECT_EQ(plain->find("s2.pathway0_res0.branch2.se"), nullptr);
  EXPECT_EQ(shape_of(*plain, "head.lin_5_bn.weight"), (at::IntArrayRef{24}));
  for (const auto& model : {dense, plain})
    test::expect_all_gradients(*model, test::formula_clip({2, 3, 4, 64, 64}));
}

TEST(x3d, every_second_block_has_squeeze_and_excitation) {
  const auto model = plugin().make(plugin().preset("x3d_s"), 2);
  for (int block = 0; block < 11; ++block) {
    const std::string name = "s4.pathway0_res" + std::to_string(block) + ".branch2";
    ASSERT_NE(model->find(name), nullptr);
    EXPECT_EQ(model->find(name + ".se") != nullptr, block % 2 == 0) << name;
  }
}

TEST(x3d, averages_probabilities_over_the_places_of_a_clip_larger_than_the_training_clips) {
  const ClipBatch clip = test::formula_clip({2, 3, 6, 64, 64});
  const auto run = [&](int frames, int crop) {
    const auto model = plugin().make(tiny({{"frames", frames}, {"crop", crop}}), 5);
    for (const NamedTensor& named : model->parameters())
      if (named.tensor.dim() > 1)
        named.tensor.detach().copy_(
            test::reference_weight(named.name, named.tensor.sizes(), "weight", "", 2));
    model->train(false);
    return model->forward(clip);
  };
  const auto differ = [](const Output& output) {
    return output.extra.at("probabilities").sub(output.logits.softmax(1)).abs().max().item<double>();
  };
  EXPECT_LT(differ(run(0, 64)), 1e-6);
  EXPECT_LT(differ(run(6, 64)), 1e-6);
  for (const Output& output : {run(5, 64), run(0, 32)}) {
    EXPECT_GT(differ(output), 1e-6) << output.logits;
    EXPECT_NEAR(output.extra.at("probabilities").sum().item<double>(), 2, 1e-5);
  }
}

TEST(x3d, probabilities_come_in_eval_mode_only) {
  const auto model = plugin().make(tiny({{"activation", "sigmoid"}}), 5);
  const ClipBatch clip = test::formula_clip({2, 3, 4, 64, 64});
  EXPECT_TRUE(model->forward(clip).extra.empty());
  model->train(false);
  const Output output = model->forward(clip);
  EXPECT_TRUE(output.extra.at("probabilities").allclose(output.logits.sigmoid(), 1e-5, 1e-7));
}

TEST(x3d, takes_clips_of_any_size_and_of_flow) {
  const auto model = plugin().make(tiny({{"modality", "flow"}}), 2);
  model->train(false);
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{1, 2, 1, 1, 1}, {3, 2, 5, 37, 21}})
    EXPECT_EQ(model->forward(test::formula_clip(shape, "flow")).logits.sizes(),
              (at::IntArrayRef{shape[0], 2}));
}

TEST(x3d, gives_the_maps_of_conv5_as_features_without_a_classifier) {
  const auto model = plugin().make(tiny(), 2);
  auto& backbone = dynamic_cast<HasFeatures&>(*model);
  EXPECT_EQ(backbone.head(), "head.projection");
  model->train(false);
  const ClipBatch clip = test::formula_clip({2, 3, 4, 64, 96});
  const at::Tensor before = backbone.features(clip).at(0);
  EXPECT_EQ(before.sizes(), (at::IntArrayRef{2, backbone.feature_channels().at(0), 4, 2, 3}));
  model->erase(backbone.head());
  EXPECT_TRUE(backbone.features(clip).at(0).equal(before));
}

TEST(x3d, drops_out_before_the_classifier_in_train_mode_only) {
  const auto model = plugin().make(tiny({{"dropout", 1.0}}), 3);
  init::constant(dynamic_cast<Linear&>(*model->find("head.projection")).bias(), 5);
  const ClipBatch clip = test::formula_clip({2, 3, 4, 64, 64});
  EXPECT_TRUE(model->forward(clip).logits.eq(5).all().item<bool>());
  model->train(false);
  EXPECT_FALSE(model->forward(clip).logits.eq(5).all().item<bool>());
}

TEST(x3d, runs_the_stem_and_each_residual_block_as_a_block) {
  EXPECT_EQ(test::blocks_run(*plugin().make(tiny(), 2), test::formula_clip({2, 3, 4, 64, 64})),
            1 + (1 + 1 + 3 + 2));
}

TEST(x3d, residual_blocks_begin_as_identity_unless_told_otherwise) {
  for (const bool zero : {true, false}) {
    int last = 0;
    for (const NamedTensor& named : plugin().make(tiny({{"zero_init_last_norm", zero}}), 2)->parameters()) {
      if (!named.name.ends_with("bn.weight")) continue;
      const bool ends_block = named.name.ends_with("branch2.c_bn.weight");
      last += ends_block;
      EXPECT_EQ(named.tensor.abs().sum().item<double>() == 0, zero && ends_block) << named.name;
    }
    EXPECT_EQ(last, 7);
  }
}

TEST(x3d, refuses_clips_of_another_shape_and_options_that_make_no_network) {
  const auto model = plugin().make(tiny(), 2);
  try {
    model->forward(test::formula_clip({1, 2, 4, 32, 32}));
    FAIL() << "took two channels";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "clip rgb: wrong shape: expected [batch, 3, frames, height, width], got [1, 2, 4, 32, 32]");
  }
  const auto problems = [](std::initializer_list<std::pair<const char*, Value>> more) {
    return plugin().problems(tiny(more));
  };
  EXPECT_EQ(problems({}), "");
  EXPECT_THAT(problems({{"width_factor", 0.0}}), HasSubstr("width_factor"));
  EXPECT_THAT(problems({{"depth_factor", -1.0}}), HasSubstr("depth_factor"));
  EXPECT_THAT(problems({{"se_ratio", 2.0}}), HasSubstr("se_ratio"));
  EXPECT_THAT(problems({{"frames", -1}}), HasSubstr("frames"));
  EXPECT_THAT(problems({{"bottleneck_factor", 0.1}}), HasSubstr("no channels are left"));
}

TEST(x3d, reads_checkpoint_names_of_pytorchvideo) {
  for (const char* preset : {"x3d_s", "x3d_m"}) {
    const nlohmann::json file = test::golden("models/pytorchvideo_" + std::string(preset) + ".json");
    const auto model = plugin().make(plugin().preset(preset), 400);
    EXPECT_TRUE(test::key_map_of(*model, "pyslowfast").rewrites.empty());
    const KeyMap map = test::key_map_of(*model, "pytorchvideo");
    std::vector<std::string> keys;
    for (const nlohmann::json& entry : file["state_dict"]) keys.push_back(entry[0]);
    test::expect_complete(*model, map, keys);
    EXPECT_EQ(map.constants.size(), 5u);  // one batch norm
  }
}

}  // namespace
}  // namespace kinema
