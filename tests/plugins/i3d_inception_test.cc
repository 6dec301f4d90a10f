#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "blocks/same_padding.h"
#include "kinema/layers.h"
#include "tests/support/block_count.h"
#include "tests/support/key_map.h"
#include "tests/support/pathway_reference.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("i3d");
  return loaded;
}

Value tiny(std::initializer_list<std::pair<const char*, Value>> more = {}) {
  Value options = Value::table({{"layout", "inception"}, {"width", 4}, {"adaptive_pool", true}});
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

std::vector<std::string> keys_of(const nlohmann::json& file) {
  std::vector<std::string> keys;
  for (const nlohmann::json& entry : file["state_dict"]) keys.push_back(entry[0]);
  return keys;
}

Extent<3> extent(const nlohmann::json& sizes) { return {sizes[0], sizes[1], sizes[2]}; }

TEST(i3d_same_padding, pools_and_units_are_those_of_the_reference) {
  const at::NoGradGuard no_grad;
  const nlohmann::json cases = test::golden_cases("models/i3d_same_padding.json");
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c["op"].get<std::string>() + " " + c["kernel"].dump() + " " + c["input_shape"].dump());
    const auto shape = c["input_shape"].get<std::vector<std::int64_t>>();
    const at::Tensor x = test::reference_input(c["input_key"], shape);
    at::Tensor y;
    if (c["op"] == "pool") {
      blocks::SameMaxPool3d pool(extent(c["kernel"]), extent(c["stride"]));
      y = pool(x);
    } else {
      blocks::SameUnit unit(
          {.in = 2, .out = 3, .kernel = extent(c["kernel"]), .stride = extent(c["stride"])});
      nlohmann::json weights = c;
      weights["weight_salt"] = "";
      weights["weight_gain"] = 1.0;
      unit.load_state(test::reference_state(c, weights));
      unit.train(false);
      y = unit(x);
    }
    ASSERT_EQ(y.sizes().vec(), c["output_shape"].get<std::vector<std::int64_t>>());
    const at::Tensor expected = at::tensor(c["output"].get<std::vector<float>>());
    EXPECT_LT(y.flatten().sub(expected).abs().max().item<double>(), 1e-6);
  }
  EXPECT_EQ(cases.size(), 11u);
}

TEST(i3d_same_padding, keeps_channels_last_memory) {
  const at::Tensor x =
      test::reference_input("x", {1, 4, 5, 6, 7}).contiguous(at::MemoryFormat::ChannelsLast3d);
  const at::Tensor padded = blocks::pad_same(x, 7, 2);
  EXPECT_EQ(padded.sizes(), (at::IntArrayRef{1, 4, 11, 11, 13}));
  EXPECT_TRUE(padded.is_contiguous(at::MemoryFormat::ChannelsLast3d));
}

TEST(i3d_inception, has_the_reference_state_dicts) {
  for (const char* preset : {"i3d_inception_rgb", "i3d_inception_flow"}) {
    const nlohmann::json file = test::golden(std::string("models/") + preset + ".json");
    test::expect_same_state(*plugin().make(plugin().preset(preset), 400), file);
  }
}

TEST(i3d_inception, has_as_many_parameters_as_published_for_other_classes) {
  const auto parameters = [](const char* preset, std::int64_t classes) {
    std::int64_t count = 0;
    for (const NamedTensor& named : plugin().make(plugin().preset(preset), classes)->parameters())
      count += named.tensor.numel();
    return count;
  };
  EXPECT_EQ(parameters("i3d_inception_rgb", 600), 12902264);
  EXPECT_EQ(parameters("i3d_inception_rgb", 157), 12448189);
  EXPECT_EQ(parameters("i3d_inception_rgb", 101), 12390789);
  EXPECT_EQ(parameters("i3d_inception_flow", 101), 12368837);
}

TEST(i3d_inception, trains_on_small_clips_and_flow) {
  const auto model = plugin().make(tiny({{"width", 8}, {"modality", "flow"}}), 7);
  test::expect_all_gradients(*model, test::formula_clip({2, 2, 10, 100, 70}, "flow"));
}

TEST(i3d_inception, logits_are_the_mean_of_the_logits_over_time) {
  const auto model = plugin().make(tiny(), 5);
  for (const bool training : {true, false}) {
    model->train(training);
    const Output output = model->forward(test::formula_clip({2, 3, 33, 64, 64}));
    const at::Tensor& in_time = output.extra.at("time_logits");
    EXPECT_EQ(in_time.sizes(), (at::IntArrayRef{2, 5, 4}));
    EXPECT_TRUE(output.logits.allclose(in_time.mean(2)));
    EXPECT_EQ(output.extra.contains("probabilities"), !training);
  }
}

TEST(i3d_inception, probabilities_are_the_activation_of_the_logits) {
  for (const char* activation : {"softmax", "sigmoid"}) {
    const auto model = plugin().make(tiny({{"activation", activation}}), 5);
    model->train(false);
    const Output output = model->forward(test::formula_clip({2, 3, 17, 64, 64}));
    const at::Tensor expected =
        std::string(activation) == "softmax" ? output.logits.softmax(1) : output.logits.sigmoid();
    EXPECT_TRUE(output.extra.at("probabilities").allclose(expected)) << activation;
  }
}

TEST(i3d_inception, adaptive_pool_changes_nothing_where_the_published_pool_fits) {
  const ClipBatch clip = test::formula_clip({1, 3, 9, 193, 200});
  const auto fixed = plugin().make(tiny({{"adaptive_pool", false}}), 3);
  const auto adaptive = plugin().make(tiny(), 3);
  adaptive->load_state(fixed->state());
  for (const auto& model : {fixed, adaptive}) model->train(false);
  EXPECT_TRUE(fixed->forward(clip).logits.equal(adaptive->forward(clip).logits));
}

TEST(i3d_inception, refuses_clips_smaller_than_the_published_pool) {
  const auto model = plugin().make(tiny({{"adaptive_pool", false}}), 2);
  const std::string expected = "clip rgb: too small: expected at least 9 frames of 193 x 193 pixels, got ";
  using Shape = std::vector<std::int64_t>;
  for (const auto& [shape, got] : {std::pair{Shape{1, 3, 8, 193, 193}, "8 of 193 x 193"},
                                   std::pair{Shape{1, 3, 9, 192, 224}, "9 of 192 x 224"},
                                   std::pair{Shape{1, 3, 9, 224, 112}, "9 of 224 x 112"}})
    EXPECT_THAT(run_error(*model, test::formula_clip(shape)), HasSubstr(expected + got));
  EXPECT_THAT(run_error(*model, test::formula_clip({1, 2, 9, 193, 193})), HasSubstr("wrong shape"));
  const auto adaptive = plugin().make(tiny(), 2);
  adaptive->train(false);
  EXPECT_EQ(run_error(*adaptive, test::formula_clip({1, 3, 1, 1, 1})), "no error");
}

TEST(i3d_inception, refuses_options_that_have_no_effect_in_the_layout) {
  EXPECT_EQ(plugin().problems(tiny({{"dropout", 0.2}, {"activation", "sigmoid"}})), "");
  const auto idle = [](const std::string& name, const std::string& layouts) {
    return HasSubstr(name + " has no effect: expected it only with layout = " + layouts);
  };
  for (const auto& [name, value] :
       std::map<std::string, Value>{{"depth", 101},
                                    {"blocks", Value(Value::Array{1, 1, 1, 1})},
                                    {"nonlocal", "softmax"},
                                    {"nonlocal_blocks", Value(Value::Array{Value(Value::Array{1})})},
                                    {"nonlocal_pool", Value(Value::Array{2, 2, 2})},
                                    {"zero_init_last_norm", false},
                                    {"pool_frames", false}})
    EXPECT_THAT(plugin().problems(tiny({{name.c_str(), value}})), idle(name, "\"resnet\" or \"mmaction2\""));
  for (const char* layout : {"inception", "mmaction2"})
    for (const auto& [name, value] : std::map<std::string, Value>{{"detection", true}, {"crop", 112}})
      EXPECT_THAT(plugin().problems(Value::table({{"layout", layout}, {name, value}})),
                  idle(name, "\"resnet\""));
  for (const char* layout : {"resnet", "mmaction2"})
    EXPECT_THAT(plugin().problems(Value::table({{"layout", layout}, {"adaptive_pool", true}})),
                idle("adaptive_pool", "\"inception\""));
}

TEST(i3d_inception, gives_features_without_a_classifier) {
  const auto model = plugin().make(tiny({{"width", 64}, {"adaptive_pool", false}}), 2);
  auto& backbone = dynamic_cast<HasFeatures&>(*model);
  EXPECT_THAT(backbone.feature_channels(), testing::ElementsAre(1024));
  model->erase(backbone.head());
  model->train(false);
  EXPECT_EQ(backbone.features(test::formula_clip({1, 3, 9, 33, 64})).at(0).sizes(),
            (at::IntArrayRef{1, 1024, 2, 2, 2}));
}

TEST(i3d_inception, runs_each_end_point_as_a_block) {
  EXPECT_EQ(test::blocks_run(*plugin().make(tiny(), 2), test::formula_clip({2, 3, 4, 64, 64})), 16);
}

TEST(i3d_inception, reads_checkpoint_names_of_an_inception_over_images) {
  const auto model = plugin().make(Value::table({{"layout", "inception"}}), 400);
  const KeyMap map = test::key_map_of(*model, "torchvision-googlenet");
  std::map<std::string, std::vector<std::int64_t>> renamed, own;
  const nlohmann::json file = test::golden("models/torchvision_googlenet_keys.json");
  for (const nlohmann::json& key : file["keys"])
    if (const std::string name = test::translate(key[0].get<std::string>(), map); !name.empty())
      renamed[name] = key[1].get<std::vector<std::int64_t>>();
  for (const NamedTensor& named : model->state()) own[named.name] = named.tensor.sizes().vec();
  ASSERT_EQ(renamed.size(), own.size());
  for (const auto& [name, shape] : own) {
    ASSERT_TRUE(renamed.contains(name)) << name;
    if (shape.size() != 5 || name.starts_with("logits")) continue;
    EXPECT_EQ(renamed[name], (std::vector<std::int64_t>{shape[0], shape[1], shape[3], shape[4]})) << name;
  }
}

TEST(i3d_inception, reads_checkpoint_names_of_pytorch_i3d_and_of_kinetics_i3d) {
  const auto model = plugin().make(tiny(), 2);
  const std::vector<std::string> own = keys_of(test::golden("models/i3d_inception_rgb.json"));
  test::expect_complete(*model, test::key_map_of(*model, "pytorch-i3d"), own);
  // TensorFlow's names of the same tensors, as kinetics-i3d builds them.
  const std::pair<const char*, const char*> places[] = {
      {"b0", "Branch_0/Conv3d_0a_1x1"},  {"b1a", "Branch_1/Conv3d_0a_1x1"},
      {"b1b", "Branch_1/Conv3d_0b_3x3"}, {"b2a", "Branch_2/Conv3d_0a_1x1"},
      {"b2b", "Branch_2/Conv3d_0b_3x3"}, {"b3b", "Branch_3/Conv3d_0b_1x1"}};
  const auto tensorflow = [&](const std::string& scope) {
    std::vector<std::string> names = {scope + "Logits/Conv3d_0c_1x1/conv_3d/w",
                                      scope + "Logits/Conv3d_0c_1x1/conv_3d/b"};
    const auto add = [&](const std::string& unit) {
      for (const char* variable :
           {"conv_3d/w", "batch_norm/beta", "batch_norm/moving_mean", "batch_norm/moving_variance"})
        names.push_back(scope + unit + "/" + variable);
    };
    for (const char* unit : {"Conv3d_1a_7x7", "Conv3d_2b_1x1", "Conv3d_2c_3x3"}) add(unit);
    for (const char* mixed : {"3b", "3c", "4b", "4c", "4d", "4e", "4f", "5b", "5c"})
      for (const auto& [ours, theirs] : places) {
        const bool odd = std::string(mixed) == "5b" && std::string(ours) == "b2b";
        add(std::string("Mixed_") + mixed + "/" + (odd ? "Branch_2/Conv3d_0a_3x3" : theirs));
      }
    return names;
  };
  const KeyMap map = test::key_map_of(*model, "kinetics-i3d");
  for (const char* scope : {"RGB/inception_i3d/", "Flow/inception_i3d/", ""})
    test::expect_complete(*model, map, tensorflow(scope));
}

}  // namespace
}  // namespace kinema
