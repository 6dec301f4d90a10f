#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/block_count.h"
#include "tests/support/features.h"
#include "tests/support/golden.h"
#include "tests/support/plugin_under_test.h"
#include "tests/support/reference_model.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;

test::ComponentsUnderTest& plugin(std::int64_t classes) {
  static const auto components = test::plugin_under_test("resnet3d");
  components->class_count = classes;
  return *components;
}

std::shared_ptr<Model> make(const Value& options, std::int64_t classes = 400) {
  return plugin(classes).make<Model>("resnet3d", options);
}

Value preset(const std::string& name) {
  for (const Preset& p : plugin(1).find("model", "resnet3d")->presets)
    if (p.name == name) return p.options;
  ADD_FAILURE() << "no preset " << name;
  return Value::table();
}

ClipBatch random_clip(at::IntArrayRef shape) {
  ClipBatch batch;
  batch.clips["rgb"] = test::reference_input("input", shape);
  return batch;
}

// Forward and backward; every parameter must get a gradient that is finite and not all zero.
void expect_trains(const Value& options) {
  const auto model = make(options, 7);
  const Output output = model->forward(random_clip({2, 3, 4, 32, 32}));
  EXPECT_EQ(output.logits.sizes(), (at::IntArrayRef{2, 7}));
  output.logits.select(1, 3).sum().sub(output.logits.logsumexp(1).sum()).backward();
  for (const NamedTensor& named : model->parameters()) {
    const at::Tensor gradient = named.tensor.grad();
    ASSERT_TRUE(gradient.defined()) << named.name;
    const double size = gradient.abs().sum().item<double>();
    EXPECT_TRUE(std::isfinite(size) && size > 0) << named.name;
  }
}

struct Reference {
  const char* preset;
  std::int64_t parameters;  // with 400 classes
};
class torchvision_resnet : public testing::TestWithParam<Reference> {
 protected:
  nlohmann::json file = test::golden(std::string("models/torchvision_") + GetParam().preset + ".json");
  std::shared_ptr<Model> model = make(preset(GetParam().preset));

  const nlohmann::json& one_case(const std::string& id) {
    for (const nlohmann::json& c : file["cases"])
      if (c["id"] == id) return c;
    throw std::runtime_error("no case " + id);
  }
};

TEST_P(torchvision_resnet, has_the_reference_state_dict) {
  test::expect_same_state(*model, file);
  EXPECT_EQ(file["num_parameters"], GetParam().parameters);
}

TEST_P(torchvision_resnet, gives_the_reference_logits) {
  test::expect_same_logits(*model, file, one_case("small"));
  test::expect_same_logits(*model, file, one_case("true"));
}

TEST_P(torchvision_resnet, gives_the_reference_logits_for_other_classes_and_odd_sizes) {
  test::expect_same_logits(*make(preset(GetParam().preset), 101), file, one_case("classes101"));
}

TEST_P(torchvision_resnet, trains_like_the_reference) {
  test::expect_same_training(*model, file, one_case("small"));
}

INSTANTIATE_TEST_SUITE_P(presets, torchvision_resnet,
                         testing::Values(Reference{"r3d_18", 33371472}, Reference{"mc3_18", 11695440},
                                         Reference{"r2plus1d_18", 31505325}),
                         [](const auto& info) { return std::string(info.param.preset); });

// Those of the other layout are in resnet3d_hara_test.cc.
TEST(resnet3d, every_preset_trains) {
  for (const Preset& p : plugin(7).find("model", "resnet3d")->presets) {
    if (p.options.find("layout")->as_string() != "torchvision") continue;
    SCOPED_TRACE(p.name);
    Value small = p.options;
    small.set("width", 8);
    expect_trains(small);
  }
}

TEST(resnet3d, blocks_override_the_depth_and_may_leave_out_stages) {
  const Value options = Value::table({{"blocks", Value(Value::Array{1, 2})}, {"width", 4}});
  expect_trains(options);
  const auto model = make(options);
  EXPECT_NE(model->find("layer2.1"), nullptr);
  EXPECT_EQ(model->find("layer2.2"), nullptr);
  EXPECT_EQ(model->find("layer3"), nullptr);
}

TEST(resnet3d, refuses_options_that_make_no_network) {
  auto& p = plugin(2);
  EXPECT_THAT(p.problems("model", "resnet3d", Value::table({{"blocks", Value(Value::Array{1, 1, 1, 1, 1})}})),
              HasSubstr("too many stages: expected 1 to 4 numbers in blocks, got 5"));
  EXPECT_THAT(p.problems("model", "resnet3d", Value::table({{"depth", 19}})), HasSubstr("10, 18, 34"));
  EXPECT_NE(p.problems("model", "resnet3d", Value::table({{"blocks", Value(Value::Array{0})}})), "");
  EXPECT_NE(p.problems("model", "resnet3d", Value::table({{"dropout", 1.5}})), "");
}

TEST(resnet3d, refuses_options_that_its_layout_does_not_have) {
  const auto problems = [](const char* key, const Value& value) {
    return plugin(2).problems("model", "resnet3d", Value::table({{key, value}}));
  };
  EXPECT_THAT(problems("depth", 50),
              HasSubstr("wrong depth: expected 10, 18 or 34 with layout = \"torchvision\", got 50"));
  EXPECT_THAT(problems("block", "wide"),
              HasSubstr("wrong block: expected \"basic3d\", \"mixed\" or \"2plus1d\" with layout = "
                        "\"torchvision\", got \"wide\""));
  const std::pair<const char*, Value> foreign[] = {{"widen_factor", 2.0}, {"stem_frames", 3},
                                                   {"stem_stride", 2},    {"no_max_pool", true},
                                                   {"shortcut", "A"},     {"cardinality", 8}};
  for (const auto& [key, value] : foreign)
    EXPECT_THAT(problems(key, value),
                HasSubstr(std::string(key) + " has no effect: expected layout = \"hara\" "
                                             "with it, got \"torchvision\""));
  EXPECT_EQ(problems("cardinality", 32), "");
}

TEST(resnet3d, gives_its_maps_with_and_without_the_classifier) {
  const Value options = Value::table({{"width", 4}, {"depth", 10}});
  test::expect_features(*make(options, 3), random_clip({1, 3, 8, 32, 48}), {1, 32, 1, 2, 3});
}

TEST(resnet3d, refuses_an_empty_clip) {
  const auto model = make(Value::table({{"width", 4}, {"depth", 10}}), 2);
  try {
    model->forward(random_clip({1, 3, 0, 32, 32}));
    FAIL() << "took no frames";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "clip rgb: too small: expected at least 1 frame of 1x1, got 0 frames of 32x32");
  }
}

TEST(resnet3d, refuses_clips_of_another_shape) {
  const auto model = make(Value::table({{"width", 4}, {"depth", 10}}), 2);
  try {
    model->forward(random_clip({1, 2, 4, 32, 32}));
    FAIL() << "took two channels";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "clip rgb: wrong shape: expected [batch, 3, frames, height, width], got [1, 2, 4, 32, 32]");
  }
}

TEST(resnet3d, reads_flow_when_asked_to) {
  const auto model = make(Value::table({{"width", 4}, {"depth", 10}, {"modality", "flow"}}), 2);
  ClipBatch batch;
  batch.clips["flow"] = test::reference_input("input", {1, 2, 2, 16, 16});
  model->train(false);
  EXPECT_EQ(model->forward(batch).logits.sizes(), (at::IntArrayRef{1, 2}));
}

TEST(resnet3d, drops_out_before_the_classifier_in_train_mode_only) {
  const auto model = make(Value::table({{"width", 4}, {"depth", 10}, {"dropout", 1.0}}), 3);
  const at::Tensor bias = model->find("fc")->parameters()[1].tensor;
  bias.set_requires_grad(false).fill_(5);
  const ClipBatch clip = random_clip({2, 3, 2, 32, 32});
  EXPECT_TRUE(model->forward(clip).logits.eq(5).all().item<bool>());
  model->train(false);
  EXPECT_FALSE(model->forward(clip).logits.eq(5).all().item<bool>());
}

TEST(resnet3d, runs_each_residual_block_as_a_block) {
  EXPECT_EQ(
      test::blocks_run(*make(Value::table({{"width", 4}, {"depth", 34}}), 2), random_clip({2, 3, 2, 32, 32})),
      3 + 4 + 6 + 3);
}

TEST(resnet3d, keeps_torchvision_names_for_checkpoints) {
  const auto model = make(Value::table({{"width", 4}, {"depth", 10}}), 2);
  const auto* maps = dynamic_cast<HasKeyMaps*>(model.get());
  ASSERT_NE(maps, nullptr);
  ASSERT_EQ(maps->checkpoint_key_maps().size(), 1u);
  EXPECT_EQ(maps->checkpoint_key_maps()[0].name, "torchvision");
  EXPECT_TRUE(maps->checkpoint_key_maps()[0].rewrites.empty());
}

}  // namespace
}  // namespace kinema
