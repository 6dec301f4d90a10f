#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/key_map.h"
#include "tests/support/pathway_reference.h"

// The residual networks of one or two pathways as other programs name, arrange and use them.
namespace kinema {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> keys_of(const nlohmann::json& state_dict) {
  std::vector<std::string> keys;
  for (const nlohmann::json& entry : state_dict) keys.push_back(entry[0]);
  return keys;
}

std::set<std::string> map_names(Model& model) {
  std::set<std::string> names;
  for (const KeyMap& map : dynamic_cast<HasKeyMaps&>(model).checkpoint_key_maps()) names.insert(map.name);
  return names;
}

TEST(pathway_names, of_an_image_network_of_torchvision_fill_every_network_of_one_pathway) {
  const nlohmann::json file = test::golden("models/inflate_resnet50_i3d.json");
  for (const auto& [name, preset] : {std::pair{"i3d", "i3d_r50"}, std::pair{"slowfast", "c2d_r50"},
                                     std::pair{"slowfast", "slow_8x8_r50"}}) {
    SCOPED_TRACE(preset);
    test::ModelPlugin plugin(name);
    const auto model = plugin.make(plugin.preset(preset), 400);
    test::expect_complete(*model, test::key_map_of(*model, "torchvision-2d"), keys_of(file["state_dict_2d"]));
  }
  test::ModelPlugin plugin("slowfast");
  EXPECT_FALSE(map_names(*plugin.make(plugin.preset("slowfast_4x16_r50"), 2)).contains("torchvision-2d"));
}

TEST(pathway_names, of_an_image_network_lead_to_the_logits_of_the_inflated_one) {
  const at::NoGradGuard no_grad;
  const nlohmann::json file = test::golden("models/inflate_resnet50_i3d.json");
  test::ModelPlugin plugin("i3d");
  const auto model = plugin.make(plugin.preset("i3d_r50"), 400);
  std::vector<NamedTensor> state;
  for (const nlohmann::json& entry : file["state_dict_2d"]) {
    const auto shape = entry[1].get<std::vector<std::int64_t>>();
    state.push_back({entry[0], test::reference_weight(entry[0], shape, entry[3])});
  }
  model->load_state(test::translate(state, test::key_map_of(*model, "torchvision-2d"), *model));
  model->train(false);
  for (const nlohmann::json& one_case : file["cases"]) {
    if (one_case["id"] != "inflated") continue;
    const at::Tensor expected = at::tensor(one_case["eval_logits"].get<std::vector<float>>());
    const at::Tensor logits = model->forward(test::formula_clip({2, 3, 8, 64, 64})).logits.flatten();
    EXPECT_LT(logits.sub(expected).abs().max().item<double>(), 1e-4 * expected.std().item<double>());
  }
}

struct Case {
  const char* plugin;
  const char* file;
  std::vector<std::pair<const char*, const char*>> options;  // besides 50 layers
};
class mmaction2 : public testing::TestWithParam<Case> {};

TEST_P(mmaction2, weights_give_the_logits_of_its_network) {
  const nlohmann::json file = test::golden("models/mmaction2_" + std::string(GetParam().file) + ".json");
  test::ModelPlugin plugin(GetParam().plugin);
  Value options = Value::table({{"layout", "mmaction2"}});
  for (const auto& [key, value] : GetParam().options) options.set(key, value);
  const auto model = plugin.make(options, file["config"]["num_classes"]);
  const KeyMap map = test::key_map_of(*model, "mmaction2");
  EXPECT_TRUE(map.constants.empty());
  test::expect_complete(*model, map, keys_of(file["state_dict"]));
  for (const nlohmann::json& one_case : file["cases"])
    test::expect_same_logits(*model, file, one_case, {.extra = "", .names = &map});
}

INSTANTIATE_TEST_SUITE_P(networks, mmaction2,
                         testing::Values(Case{"slowfast", "slowfast_r50", {}},
                                         Case{"slowfast", "slowonly_r50", {{"architecture", "slow"}}},
                                         Case{"slowfast", "c2d_r50", {{"architecture", "c2d"}}},
                                         Case{"i3d", "i3d_r50", {}}),
                         [](const auto& info) { return std::string(info.param.file); });

TEST(pathway_names, of_mmaction2_are_offered_only_where_the_network_computes_the_same) {
  const auto offered = [](const char* plugin_name, const char* preset) {
    test::ModelPlugin plugin(plugin_name);
    Value options = plugin.preset(preset);
    options.set("width", 8);
    return map_names(*plugin.make(options, 2)).contains("mmaction2");
  };
  for (const char* same : {"slow_8x8_r50", "mmaction2_slowfast_4x16_r50", "mmaction2_slowfast_8x8_r50"})
    EXPECT_TRUE(offered("slowfast", same)) << same;
  EXPECT_TRUE(offered("i3d", "mmaction2_i3d_r50"));
  EXPECT_FALSE(offered("slowfast", "slowfast_8x8_r50"));
  EXPECT_FALSE(offered("slowfast", "c2d_r50"));
  EXPECT_FALSE(offered("i3d", "i3d_r50"));
}

Value tiny(std::initializer_list<std::pair<const char*, Value>> more = {}) {
  Value options = Value::table({{"blocks", Value(Value::Array{1, 1, 1, 1})},
                                {"width", 8},
                                {"beta", 4},
                                {"alpha", 4},
                                {"zero_init_last_norm", false}});
  for (const auto& [key, value] : more) options.set(key, value);
  return options;
}

TEST(mmaction2_layout, trains) {
  test::ModelPlugin plugin("slowfast");
  for (const char* architecture : {"slowfast", "slow", "c2d"})
    test::expect_all_gradients(
        *plugin.make(tiny({{"layout", "mmaction2"}, {"architecture", architecture}}), 7),
        test::formula_clip({2, 3, 8, 64, 64}));
}

TEST(mmaction2_layout, refuses_clips_and_options_that_do_not_fit) {
  test::ModelPlugin slowfast("slowfast"), i3d("i3d");
  const auto error = [](Model& model, at::IntArrayRef shape) -> std::string {
    try {
      model.forward(test::formula_clip(shape));
    } catch (const Error& caught) {
      return caught.what();
    }
    return "no error";
  };
  const auto c2d = slowfast.make(tiny({{"layout", "mmaction2"}, {"architecture", "c2d"}}), 2);
  c2d->train(false);
  EXPECT_EQ(error(*c2d, {1, 3, 2, 5, 5}), "no error");
  EXPECT_EQ(error(*c2d, {1, 3, 2, 5, 4}),
            "clip rgb: too small: expected at least 5 pixels on each side, got 5 x 4");
  const auto inflated = i3d.make(
      Value::table({{"blocks", Value(Value::Array{1, 1, 1, 1})}, {"width", 4}, {"layout", "mmaction2"}}), 2);
  inflated->train(false);
  EXPECT_EQ(error(*inflated, {1, 3, 5, 32, 32}), "no error");
  EXPECT_EQ(error(*inflated, {1, 3, 4, 32, 32}),
            "clip rgb: wrong number of frames: expected at least 5, got 4");
  EXPECT_THAT(slowfast.problems(tiny({{"layout", "mmaction2"}, {"crop", 112}})),
              HasSubstr("crop has no effect: expected it only with layout = \"pyslowfast\""));
  EXPECT_THAT(
      slowfast.problems(tiny({{"layout", "mmaction2"}, {"detection", true}, {"activation", "sigmoid"}})),
      HasSubstr("wrong layout: expected \"pyslowfast\" with detection, got \"mmaction2\""));
}

TEST(pathway_features, are_the_maps_of_each_pathway_with_and_without_a_classifier) {
  test::ModelPlugin plugin("slowfast");
  struct Network {
    Value options;
    std::vector<std::int64_t> channels;
    std::vector<std::vector<std::int64_t>> shapes;
  };
  const Network networks[] = {
      {tiny(), {256, 64}, {{1, 256, 2, 2, 3}, {1, 64, 8, 2, 3}}},
      {tiny({{"layout", "mmaction2"}}), {256, 64}, {{1, 256, 2, 2, 3}, {1, 64, 8, 2, 3}}},
      {tiny({{"architecture", "c2d"}}), {256}, {{1, 256, 4, 2, 3}}},
      {tiny({{"architecture", "slow"}, {"detection", true}, {"activation", "sigmoid"}}),
       {256},
       {{1, 256, 8, 4, 6}}}};
  for (const Network& network : networks) {
    const auto model = plugin.make(network.options, 3);
    auto& backbone = dynamic_cast<HasFeatures&>(*model);
    EXPECT_EQ(backbone.feature_channels(), network.channels);
    model->train(false);
    const ClipBatch clip = test::formula_clip({1, 3, 8, 64, 96});
    const std::vector<at::Tensor> before = backbone.features(clip);
    ASSERT_EQ(before.size(), network.shapes.size());
    model->erase(backbone.head());
    for (std::size_t p = 0; p < before.size(); ++p) {
      EXPECT_EQ(before[p].sizes().vec(), network.shapes[p]);
      EXPECT_TRUE(backbone.features(clip)[p].equal(before[p]));
    }
  }
}

}  // namespace
}  // namespace kinema
