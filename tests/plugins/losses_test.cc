#include <ATen/autocast_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinema/loss.h"
#include "tests/support/loss_reference.h"
#include "tests/support/plugin_under_test.h"

namespace kinema {
namespace {

using test::expect_golden;
using test::golden_target;
using test::Json;
using test::logits;
using test::reals;
using test::Result;
using test::run;
using test::weights;
using ::testing::HasSubstr;

class cross_entropy : public ::testing::Test {
 protected:
  std::shared_ptr<Loss> make(const Value& options = Value::table()) {
    return host_->make<Loss>("cross_entropy", options);
  }
  std::string error_of(Loss& loss, const Output& output, const TargetBatch& target, ErrorKind kind) {
    try {
      loss(output, target);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), kind);
      return e.what();
    }
    return "no error";
  }
  std::unique_ptr<test::ComponentsUnderTest> host_ = test::plugin_under_test("cross_entropy");
};

TEST_F(cross_entropy, equals_torch_in_value_and_gradient) {
  int compared = 0;
  for (const Json& c : test::golden_cases("losses/losses.json")) {
    const std::string op = c["op"];
    const bool soft = op == "soft_target_cross_entropy" || op == "cross_entropy_probabilities";
    if (!soft && (!op.starts_with("cross_entropy") || op == "cross_entropy_sum")) continue;
    Value options = Value::table();
    // The soft cases' targets have been smoothed already.
    if (!soft) options.set("label_smoothing", c.value("label_smoothing", 0.0));
    if (c.contains("class_weight")) options.set("class_weights", reals(c["class_weight"]));
    const std::shared_ptr<Loss> loss = make(options);
    expect_golden(c["f32"], run(*loss, logits(at::kFloat), golden_target(c)), 5e-7, op + " float32");
    expect_golden(c["f64"], run(*loss, logits(at::kDouble), golden_target(c)), soft ? 1e-7 : 1e-12,
                  op + " float64");
    ++compared;
  }
  EXPECT_EQ(compared, 10);
}

TEST_F(cross_entropy, smooths_soft_targets_as_hard_ones) {
  const std::shared_ptr<Loss> loss = make(Value::table({{"label_smoothing", 0.2}}));
  TargetBatch hard, soft;
  hard.labels = at::tensor({4, 5, 4, 0}, at::kLong);
  soft.values = at::full({4, 6}, 0.0, at::kFloat);
  for (int i = 0; i < 4; ++i) soft.values[i][hard.labels[i].item().toLong()] = 1;
  const Result a = run(*loss, logits(at::kFloat), hard), b = run(*loss, logits(at::kFloat), soft);
  EXPECT_NEAR(a.value, b.value, 1e-6);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(a.gradient[i], b.gradient[i], 1e-6);
}

TEST_F(cross_entropy, weighs_each_item_in_the_mean) {
  for (const bool class_weights : {false, true}) {
    Value options = Value::table();
    if (class_weights) options.set("class_weights", reals({1.0, 2.0, 3.0, 0.5, 4.0, 0.25}));
    const std::shared_ptr<Loss> loss = make(options);
    TargetBatch repeated, weighted;  // item 0 twice, item 3 not at all
    repeated.labels = at::tensor({4, 4, 5, 1}, at::kLong);
    weighted.labels = at::tensor({4, 5, 1, 2}, at::kLong);
    weighted.weight = weights({2, 1, 1, 0});
    const at::Tensor own = logits(at::kDouble);
    const at::Tensor picked =
        own.detach().index_select(0, at::tensor({0, 0, 1, 2}, at::kLong)).requires_grad_(true);
    const Result a = run(*loss, picked, repeated), b = run(*loss, own, weighted);
    EXPECT_NEAR(a.value, b.value, 1e-12);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(a.gradient[i] + a.gradient[6 + i], b.gradient[i], 1e-12);
      EXPECT_EQ(b.gradient[18 + i], 0);
    }
  }
}

TEST_F(cross_entropy, says_what_its_mean_divides_by_so_that_batches_can_be_put_together) {
  for (const bool soft : {false, true})
    for (const bool class_weights : {false, true}) {
      Value options = Value::table({{"label_smoothing", 0.1}});
      if (class_weights) options.set("class_weights", reals({1.0, 2.0, 3.0, 0.5, 4.0, 0.25}));
      const std::shared_ptr<Loss> loss = make(options);
      TargetBatch all;
      all.labels = at::tensor({4, -1, 1, 3}, at::kLong);
      all.weight = weights({2, 1, 0.5, 1});
      if (soft) all.values = logits(at::kDouble).detach().softmax(1);
      const at::Tensor x = logits(at::kDouble).detach();
      const LossValue whole = (*loss)({x, {}}, all);
      double sum = 0, weight = 0;
      for (const auto& [first, count] : {std::pair(0, 1), std::pair(1, 2), std::pair(3, 1)}) {
        TargetBatch part;
        part.labels = all.labels.narrow(0, first, count);
        part.weight = all.weight.narrow(0, first, count);
        if (soft) part.values = all.values.narrow(0, first, count);
        const LossValue value = (*loss)({x.narrow(0, first, count), {}}, part);
        sum += value.total.item().toDouble() * value.weight.item().toDouble();
        weight += value.weight.item().toDouble();
      }
      EXPECT_NEAR(weight, whole.weight.item().toDouble(), 1e-12);
      EXPECT_NEAR(sum / weight, whole.total.item().toDouble(), 1e-12);
      EXPECT_FALSE(whole.weight.requires_grad());
    }
}

TEST_F(cross_entropy, has_no_state_for_what_its_options_say) {
  EXPECT_TRUE(make(Value::table({{"class_weights", reals({1.0, 2.0})}}))->state().empty());
}

TEST_F(cross_entropy, is_computed_in_float32_from_low_precision_and_under_autocast) {
  const std::shared_ptr<Loss> loss = make();
  TargetBatch target;
  target.labels = at::tensor({4, 5, 4, 0}, at::kLong);
  const at::Tensor low = logits(at::kFloat).detach().to(at::kBFloat16);
  const at::Tensor widened = low.to(at::kFloat);
  const double expected = (*loss)({widened, {}}, target).total.item().toDouble();

  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const at::Tensor total = (*loss)({low, {}}, target).total;
  EXPECT_TRUE(at::autocast::is_autocast_enabled(at::kCPU));
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  EXPECT_EQ(total.scalar_type(), at::kFloat);
  EXPECT_EQ(total.item().toDouble(), expected);
}

TEST_F(cross_entropy, leaves_out_items_without_a_label) {
  const std::shared_ptr<Loss> loss = make();
  TargetBatch target, torchs;
  target.labels = at::tensor({-1, 5, 4, 4}, at::kLong);
  torchs.labels = at::tensor({-100, 5, 4, 4}, at::kLong);
  EXPECT_EQ(run(*loss, logits(at::kFloat), target).value, run(*loss, logits(at::kFloat), torchs).value);
  target.labels = at::tensor({-1, -1, -1, -1}, at::kLong);
  const Result none = run(*loss, logits(at::kFloat), target);
  EXPECT_EQ(none.value, 0);
  for (const double g : none.gradient) EXPECT_EQ(g, 0);
}

TEST_F(cross_entropy, is_zero_for_a_batch_without_rows) {
  TargetBatch target;
  target.values = at::full({0, 6}, 0.0, at::kFloat);
  const at::Tensor empty = at::full({0, 6}, 0.0, at::kFloat).requires_grad_(true);
  EXPECT_EQ(run(*make(), empty, target).value, 0);
}

TEST_F(cross_entropy, refuses_batches_that_do_not_fit) {
  const std::shared_ptr<Loss> loss = make(),
                              weighted = make(Value::table({{"class_weights", reals({1.0, 2.0})}}));
  const at::Tensor x = logits(at::kFloat);
  TargetBatch target;
  EXPECT_THAT(error_of(*loss, {x, {}}, target, ErrorKind::data),
              HasSubstr("no target: expected a label or one value per class for each item, got neither"));
  target.labels = at::tensor({1, 2, 6, 3}, at::kLong);
  EXPECT_THAT(error_of(*loss, {x, {}}, target, ErrorKind::data),
              HasSubstr("bad label: expected at most 5 for 6 classes, got 6"));
  target.labels = at::tensor({1, 2, 3}, at::kLong);
  EXPECT_THAT(error_of(*loss, {x, {}}, target, ErrorKind::plugin),
              HasSubstr("bad shape of labels: expected [4], got [3]"));
  target.labels = at::tensor({1, 2, 3, 4}, at::kLong);
  EXPECT_THAT(error_of(*weighted, {x, {}}, target, ErrorKind::plugin),
              HasSubstr("bad shape of class_weights: expected [6], got [2]"));
  target.weight = weights({1, 1});
  EXPECT_THAT(error_of(*loss, {x, {}}, target, ErrorKind::plugin),
              HasSubstr("bad shape of item weights: expected [4], got [2]"));
  target.weight = at::Tensor();
  target.values = at::full({4, 5}, 0.2, at::kFloat);
  EXPECT_THAT(error_of(*loss, {x, {}}, target, ErrorKind::plugin),
              HasSubstr("bad shape of target values: expected [4, 6], got [4, 5]"));
  EXPECT_THAT(error_of(*loss, {x.reshape({24}), {}}, target, ErrorKind::plugin),
              HasSubstr("bad shape of logits: expected [items, classes], got [24]"));
}

TEST_F(cross_entropy, checks_its_options_before_anything_runs) {
  const auto problems = [&](const std::string& key, Value value) {
    return host_->problems("loss", "cross_entropy", Value::table({{key, std::move(value)}}));
  };
  EXPECT_NE(problems("label_smoothing", 1.5), "");
  EXPECT_NE(problems("class_weights", reals({1.0, -1.0})), "");
  EXPECT_THAT(problems("class_weights", reals({0.0, 0.0})),
              HasSubstr("bad class_weights: expected finite numbers with a sum above 0, got a sum of 0"));
  host_->class_count = 3;
  try {
    make(Value::table({{"class_weights", reals({1.0, 2.0})}}));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_THAT(e.what(), HasSubstr("wrong number of class_weights: expected 3, one for each class, got 2"));
  }
}

}  // namespace
}  // namespace kinema
