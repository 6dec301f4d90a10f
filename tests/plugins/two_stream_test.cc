#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/key_map.h"
#include "tests/support/pathway_reference.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;

// A stream that answers with what it was told, and says what it saw.
struct Fixed final : Model, HasParamRules {
  struct Options {
    std::string modality = "rgb";
    std::int64_t classes = 3;
    double step = 1;
    bool own_probabilities = false;
  };
  explicit Fixed(const Options& o) : options(o) { parameter("logit", at::full({1}, o.step)); }

  Output forward(const ClipBatch& batch) override {
    const std::int64_t clips = batch.clip(options.modality).size(0);
    seen = batch;
    const at::Tensor rising = at::full({clips, options.classes}, 1.0).cumsum(1);
    Output output{rising.mul(parameters()[0].tensor), {}};
    if (!training() && options.own_probabilities)
      output.extra["probabilities"] = at::full({clips, options.classes}, 1.0 / 3);
    return output;
  }
  std::vector<ParamRule> param_rules() const override { return {{"logit", 2, 0}}; }

  Options options;
  ClipBatch seen;
};

void register_fixed(Registrar& registrar) {
  using O = Fixed::Options;
  registrar.add<Model>("fixed", "answers what it was told",
                       Options<O>()
                           .add("modality", &O::modality, "")
                           .add("classes", &O::classes, "")
                           .add("step", &O::step, "")
                           .add("own_probabilities", &O::own_probabilities, ""),
                       [](const O& o, Context&) { return std::make_shared<Fixed>(o); });
}

test::ComponentsUnderTest& components() {
  static test::ComponentsUnderTest* all = [] {
    auto* made = new test::ComponentsUnderTest(test::registration_of("two_stream"));
    test::registration_of("i3d")(*made);
    register_fixed(*made);
    return made;
  }();
  return *all;
}

using Keys = std::initializer_list<std::pair<const char*, Value>>;

Value with(Value table, Keys more) {
  for (const auto& [key, value] : more) table.set(key, value);
  return table;
}

Value fixed(const char* modality, double step, Keys more = {}) {
  return with(Value::table({{"type", "fixed"}, {"modality", modality}, {"step", step}}), more);
}

Value fixed_pair(Keys more = {}) {
  return with(Value::table({{"rgb", fixed("rgb", 1)}, {"flow", fixed("flow", -0.5)}}), more);
}

Value inception(const char* modality, int width = 4) {
  return Value::table({{"type", "i3d"},
                       {"layout", "inception"},
                       {"modality", modality},
                       {"width", width},
                       {"adaptive_pool", width != 64},
                       {"dropout", 0.0}});
}

Value inception_pair(int width = 4) {
  return Value::table({{"rgb", inception("rgb", width)}, {"flow", inception("flow", width)}});
}

std::shared_ptr<Model> make(const Value& options, std::int64_t classes = 3) {
  components().class_count = classes;
  return components().make<Model>("two_stream", options);
}

ClipBatch both_clips(at::IntArrayRef size = {2, 4, 32, 32}) {
  ClipBatch batch;
  batch.clips["rgb"] = test::reference_input("rgb", {size[0], 3, size[1], size[2], size[3]});
  batch.clips["flow"] = test::reference_input("flow", {size[0], 2, size[1], size[2], size[3]});
  return batch;
}

at::Tensor activate(const at::Tensor& logits, const std::string& activation) {
  return activation == "softmax" ? logits.softmax(1) : logits.sigmoid();
}

TEST(two_stream, logits_are_the_weighted_sum_of_the_logits_of_the_streams) {
  const auto model = make(with(inception_pair(), {{"rgb_weight", 0.75}, {"flow_weight", 2.0}}), 5);
  model->train(false);
  const ClipBatch clips = both_clips();
  const auto stream = [&](const char* name) {
    return dynamic_cast<Model&>(*model->find(name)).forward(clips).logits;
  };
  const Output output = model->forward(clips);
  const at::Tensor expected = stream("rgb").mul(0.75).add(stream("flow").mul(2));
  EXPECT_TRUE(output.logits.allclose(expected, 1e-5, 1e-6));
  EXPECT_TRUE(output.extra.at("rgb_logits").equal(stream("rgb")));
  EXPECT_TRUE(output.extra.at("flow_logits").equal(stream("flow")));
  EXPECT_TRUE(output.extra.at("probabilities").allclose(expected.softmax(1), 1e-5, 1e-6));
}

TEST(two_stream, logits_of_fused_probabilities_are_those_of_their_weighted_mean) {
  for (const std::string activation : {"softmax", "sigmoid"}) {
    const auto model = make(fixed_pair({{"fusion", "probabilities"},
                                        {"activation", activation},
                                        {"rgb_weight", 3.0},
                                        {"flow_weight", 1.0}}));
    model->train(false);
    const Output output = model->forward(both_clips());
    const at::Tensor expected = activate(output.extra.at("rgb_logits"), activation)
                                    .mul(0.75)
                                    .add(activate(output.extra.at("flow_logits"), activation).mul(0.25));
    EXPECT_TRUE(output.extra.at("probabilities").allclose(expected)) << activation;
    EXPECT_TRUE(activate(output.logits, activation).allclose(expected)) << activation;
    model->train();
    const Output training = model->forward(both_clips());
    EXPECT_TRUE(training.logits.allclose(output.logits));
    EXPECT_FALSE(training.extra.contains("probabilities"));
  }
}

TEST(two_stream, fuses_the_probabilities_that_a_stream_gives_itself) {
  Value options = fixed_pair({{"fusion", "probabilities"}});
  options.set("rgb", fixed("rgb", 1, {{"own_probabilities", true}}));
  const auto model = make(options);
  model->train(false);
  const Output output = model->forward(both_clips());
  const at::Tensor expected = output.extra.at("flow_logits").softmax(1).add(1.0 / 3).div(2);
  EXPECT_TRUE(output.extra.at("probabilities").allclose(expected));
}

TEST(two_stream, fused_probabilities_keep_gradients_where_one_stream_is_sure) {
  Value options = fixed_pair({{"fusion", "probabilities"}});
  options.set("flow", fixed("flow", 500));
  const auto model = make(options);
  const at::Tensor loss = model->forward(both_clips()).logits.select(1, 0).sum();
  EXPECT_NEAR(loss.item<double>(),
              2 * (std::log(0.5) + std::log(std::exp(-2) / (1 + std::exp(-1) + std::exp(-2)))), 1e-5);
  loss.backward();
  for (const NamedTensor& named : model->parameters())
    EXPECT_TRUE(named.tensor.grad().isfinite().all().item<bool>()) << named.name;
}

TEST(two_stream, each_stream_sees_the_clips_of_its_modality_only) {
  const auto model = make(fixed_pair());
  ClipBatch clips = both_clips();
  clips.boxes = test::reference_input("boxes", {4, 5});
  model->forward(clips);
  for (const char* name : {"rgb", "flow"}) {
    const ClipBatch& seen = dynamic_cast<Fixed&>(*model->find(name)).seen;
    EXPECT_EQ(seen.clips.size(), 1u);
    EXPECT_TRUE(seen.clip(name).equal(clips.clip(name)));
    EXPECT_TRUE(seen.boxes.equal(clips.boxes));
  }
  clips.clips.erase("flow");
  EXPECT_THROW(model->forward(clips), Error);
}

TEST(two_stream, both_streams_train) {
  for (const char* fusion : {"logits", "probabilities"}) {
    SCOPED_TRACE(fusion);
    const auto model = make(with(inception_pair(8), {{"fusion", fusion}}), 7);
    test::expect_all_gradients(*model, both_clips({2, 10, 100, 70}));
  }
}

TEST(two_stream, has_the_parameters_of_both_streams_under_their_names) {
  const auto parameters = [](std::int64_t classes) {
    std::int64_t count = 0;
    for (const NamedTensor& named : make(inception_pair(64), classes)->parameters()) {
      EXPECT_TRUE(named.name.starts_with("rgb.") || named.name.starts_with("flow.")) << named.name;
      count += named.tensor.numel();
    }
    return count;
  };
  EXPECT_EQ(parameters(400), 12697264 + 12675312);
  EXPECT_EQ(parameters(101), 12390789 + 12368837);
}

TEST(two_stream, refuses_streams_of_different_classes) {
  Value options = fixed_pair();
  options.set("flow", fixed("flow", 1, {{"classes", 4}}));
  const auto model = make(options);
  try {
    model->forward(both_clips());
    FAIL() << "took them";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "two_stream: streams of different classes: expected logits of one shape, got [2, 3] of rgb "
                 "and [2, 4] of flow");
  }
}

TEST(two_stream, refuses_options_that_make_no_pair) {
  const auto problems = [](const Value& options) {
    return components().problems("model", "two_stream", options);
  };
  EXPECT_EQ(problems(inception_pair()), "");
  EXPECT_THAT(problems(Value::table({{"rgb", fixed("rgb", 1)}})), HasSubstr("flow"));
  EXPECT_THAT(problems(fixed_pair({{"flow", fixed("rgb", 1)}})),
              HasSubstr("wrong modality of stream flow: expected \"flow\", got \"rgb\""));
  EXPECT_THAT(problems(fixed_pair({{"rgb_weight", 0.0}})), HasSubstr("rgb_weight"));
  EXPECT_THAT(problems(fixed_pair({{"fusion", "features"}})), HasSubstr("fusion"));
}

TEST(two_stream, keeps_what_the_streams_say_of_checkpoints_and_parameters) {
  Value options = inception_pair();
  const auto model = make(options);
  const KeyMap map = test::key_map_of(*model, "flow/kinetics-i3d");
  EXPECT_EQ(test::translate("Flow/inception_i3d/Mixed_3b/Branch_0/Conv3d_0a_1x1/batch_norm/beta", map),
            "flow.Mixed_3b.b0.bn.bias");
  EXPECT_EQ(test::translate("logits.conv3d.bias", test::key_map_of(*model, "rgb/pytorch-i3d")),
            "rgb.logits.conv3d.bias");
  std::set<std::string> filled;
  for (const NamedTensor& named : test::translate({}, map, *model)) filled.insert(named.name);
  EXPECT_TRUE(filled.contains("flow.Mixed_3b.b0.bn.weight"));
  EXPECT_FALSE(filled.contains("rgb.Mixed_3b.b0.bn.weight"));

  const auto rules = dynamic_cast<HasParamRules&>(*make(fixed_pair())).param_rules();
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[1].prefix, "flow.logit");
  EXPECT_EQ(rules[1].lr_scale, 2);
}

}  // namespace
}  // namespace kinema
