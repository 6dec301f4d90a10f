#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/loss_reference.h"
#include "tests/support/plugin_under_test.h"

namespace kinema {
namespace {

using test::golden_target;
using test::Json;
using test::logits;
using test::Result;
using testing::HasSubstr;

std::shared_ptr<Loss> make(const std::string& plugin, const Value& options) {
  static std::map<std::string, std::unique_ptr<test::ComponentsUnderTest>> hosts;
  auto& host = hosts[plugin];
  if (!host) host = test::plugin_under_test(plugin);
  return host->make<Loss>(plugin, options);
}

std::string problems(const std::string& plugin, const Value& options) {
  return test::plugin_under_test(plugin)->problems("loss", plugin, options);
}

// Every golden case of an operator, through a plugin whose options `options_of` gives.
template <class OptionsOf>
int expect_cases(const std::string& op, const std::string& plugin, OptionsOf options_of) {
  int compared = 0;
  for (const Json& c : test::golden_cases("losses/losses.json")) {
    if (c["op"] != op) continue;
    const std::shared_ptr<Loss> loss = make(plugin, options_of(c));
    test::expect_golden(c["f32"], test::run(*loss, logits(at::kFloat), golden_target(c)), 5e-7,
                        op + " float32");
    test::expect_golden(c["f64"], test::run(*loss, logits(at::kDouble), golden_target(c)), 1e-12,
                        op + " float64");
    ++compared;
  }
  return compared;
}

TEST(bce, equals_torch_in_value_and_gradient) {
  EXPECT_EQ(expect_cases("bce_with_logits", "bce", [](const Json&) { return Value::table(); }), 1);
  EXPECT_EQ(expect_cases("bce_with_logits_pos_weight", "bce",
                         [](const Json& c) {
                           return Value::table({{"positive_weights", test::reals(c["pos_weight"])}});
                         }),
            1);
}

TEST(bce, smooths_towards_one_half) {
  const std::shared_ptr<Loss> smoothed = make("bce", Value::table({{"label_smoothing", 0.2}}));
  const std::shared_ptr<Loss> plain = make("bce", Value::table());
  TargetBatch hard, soft;
  hard.values = at::tensor({1.0, 0.0, 0.0, 1.0}).view({2, 2});
  soft.values = at::tensor({0.9, 0.1, 0.1, 0.9}).view({2, 2});
  const at::Tensor x = at::tensor({0.3, -1.0, 2.0, 0.7}).view({2, 2}).requires_grad_(true);
  EXPECT_NEAR((*smoothed)({x, {}}, hard).total.item<double>(), (*plain)({x, {}}, soft).total.item<double>(),
              1e-7);
}

TEST(bce, takes_a_label_as_the_one_class_that_is_there) {
  const std::shared_ptr<Loss> loss = make("bce", Value::table());
  TargetBatch label, values;
  label.labels = at::tensor({1, -1}, at::kLong);
  values.values = at::tensor({0.0, 1.0, 0.0, 0.0}).view({2, 2});
  values.weight = at::tensor({1.0, 0.0});
  const at::Tensor x = at::tensor({0.3, -1.0, 2.0, 0.7}).view({2, 2});
  const LossValue a = (*loss)({x, {}}, label), b = (*loss)({x, {}}, values);
  EXPECT_EQ(a.total.item<double>(), b.total.item<double>());
  EXPECT_EQ(a.weight.item<double>(), 1) << "an item without a label counts nothing";
}

TEST(bce, is_zero_for_a_batch_without_boxes) {
  TargetBatch target;
  target.values = at::full({0, 6}, 0.0, at::kFloat);
  const at::Tensor empty = at::full({0, 6}, 0.0, at::kFloat).requires_grad_(true);
  const Result result = test::run(*make("bce", Value::table()), empty, target);
  EXPECT_EQ(result.value, 0);
}

TEST(focal, equals_its_definitions_in_value_and_gradient) {
  EXPECT_EQ(
      expect_cases("sigmoid_focal", "focal",
                   [](const Json& c) {
                     Value o = Value::table({{"activation", "sigmoid"}, {"gamma", c["gamma"].get<double>()}});
                     if (c["alpha"] >= 0) o.set("alpha", c["alpha"].get<double>());
                     return o;
                   }),
      2);
  EXPECT_EQ(expect_cases("softmax_focal", "focal",
                         [](const Json& c) {
                           return Value::table({{"gamma", c["gamma"].get<double>()}});
                         }),
            2);
}

TEST(focal, refuses_an_alpha_that_would_do_nothing) {
  EXPECT_THAT(problems("focal", Value::table({{"alpha", 0.25}})), HasSubstr("alpha without effect"));
  EXPECT_EQ(problems("focal", Value::table({{"alpha", 0.25}, {"activation", "sigmoid"}})), "");
}

TEST(class_losses, refuse_batches_that_do_not_fit) {
  for (const char* plugin : {"bce", "focal"}) {
    const std::shared_ptr<Loss> loss = make(plugin, Value::table());
    TargetBatch none, shape;
    shape.values = at::full({4, 5}, 0.0);
    const auto error = [&](const TargetBatch& target) {
      try {
        (*loss)({logits(at::kFloat), {}}, target);
      } catch (const Error& e) {
        return std::string(e.what());
      }
      return std::string("no error");
    };
    EXPECT_THAT(error(none), HasSubstr("no target: expected a label or one value per class"));
    EXPECT_THAT(error(shape), HasSubstr("bad shape of target values: expected [4, 6], got [4, 5]"));
  }
}

// The host of a sum and of its parts.
class weighted_sum : public testing::Test {
 protected:
  weighted_sum() {
    for (const char* plugin : {"weighted_sum", "cross_entropy", "focal"}) test::registration_of(plugin)(host);
  }
  static Value part(const char* type) { return Value::table({{"type", type}}); }
  static Value options(std::vector<double> weights) {
    Value::Array numbers;
    for (const double weight : weights) numbers.emplace_back(weight);
    return Value::table({{"losses", Value(Value::Array{part("cross_entropy"), part("focal")})},
                         {"weights", Value(std::move(numbers))}});
  }
  test::ComponentsUnderTest host;
};

TEST_F(weighted_sum, adds_its_parts_and_logs_each) {
  TargetBatch target;
  target.labels = at::tensor({4, 5, 4, 0}, at::kLong);
  const Output output{logits(at::kDouble), {}};
  const double a = (*host.make<Loss>("cross_entropy"))(output, target).total.item<double>();
  const double b = (*host.make<Loss>("focal"))(output, target).total.item<double>();
  const LossValue sum = (*host.make<Loss>("weighted_sum", options({2, 0.5})))(output, target);
  EXPECT_NEAR(sum.total.item<double>(), 2 * a + 0.5 * b, 1e-12);
  ASSERT_EQ(sum.parts.size(), 2u);
  EXPECT_EQ(sum.parts[0].name, "0_cross_entropy");
  EXPECT_EQ(sum.parts[1].tensor.item<double>(), b);
}

TEST_F(weighted_sum, wants_a_weight_for_each_part) {
  EXPECT_THAT(host.problems("loss", "weighted_sum", options({1})),
              HasSubstr("wrong number of weights: expected 2, one for each loss, got 1"));
}

}  // namespace
}  // namespace kinema
