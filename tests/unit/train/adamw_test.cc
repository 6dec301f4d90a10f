#include "framework/train/adamw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "framework/train/builtin_optimizers.h"
#include "kinema/error.h"
#include "reference_net.h"
#include "tests/support/components_under_test.h"

namespace kinema::train::test {
namespace {

using ::testing::HasSubstr;

double first(const at::Tensor& t) { return t.detach().reshape({-1})[0].item().toDouble(); }

TEST(adamw, takes_torchs_steps) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    AdamW adamw({});
    expect_golden_steps("AdamW", adamw, dtype);
  }
}

TEST(adamw, takes_torchs_amsgrad_steps_without_weight_decay) {
  // Without weight decay AdamW and Adam are the same.
  AdamW adamw({.betas = {0.8, 0.95}, .amsgrad = true});
  expect_golden_steps("Adam amsgrad", adamw, at::kDouble);
}

TEST(adamw, continues_bit_exactly_from_a_saved_state) {
  expect_bit_exact_continuation(
      []() -> std::unique_ptr<Optimizer> { return std::make_unique<AdamW>(AdamWOptions{.amsgrad = true}); });
}

TEST(adamw, gives_each_group_its_own_rate_and_weight_decay) {
  const NamedTensor a = filled_parameter("a", 1, 0.5), b = filled_parameter("b", 1, 0.5);
  std::vector<ParamGroup> groups(2);
  groups[0].parameters = {a};
  groups[0].lr_scale = 0.1;
  groups[1].parameters = {b};
  groups[1].weight_decay = 0.25;
  AdamW adamw({});
  adamw.attach(groups);
  adamw.step(0.1, 1);  // a first step has length lr
  EXPECT_NEAR(first(a.tensor), 1 - 0.01, 1e-6);
  EXPECT_NEAR(first(b.tensor), 1 - 0.1 * 0.25 - 0.1, 1e-6);
}

TEST(adamw, counts_the_steps_of_each_parameter_separately) {
  const NamedTensor idle = filled_parameter("idle", 1, std::numeric_limits<double>::quiet_NaN());
  const NamedTensor live = filled_parameter("live", 1, 1);
  AdamW adamw({});
  adamw.attach(one_group({idle, live}, 0.1));
  adamw.step(0.1, 1);
  adamw.step(0.1, 1);
  EXPECT_EQ(first(idle.tensor), 1);

  at::Tensor late = idle.tensor;
  late.mutable_grad() = live.tensor.grad().clone();
  adamw.step(0.1, 1);
  EXPECT_NEAR(first(idle.tensor), 1 - 0.1 * 0.1 - 0.1, 1e-6);  // a first step of its own
  std::map<std::string, std::int64_t> steps;
  for (const NamedTensor& entry : adamw.state())
    if (entry.name.ends_with(".step")) steps[entry.name] = entry.tensor.item().toLong();
  EXPECT_EQ(steps, (std::map<std::string, std::int64_t>{{"idle.step", 1}, {"live.step", 3}}));
}

TEST(adamw, multiplies_the_first_beta_with_the_schedulers_factor) {
  const NamedTensor with_factor = filled_parameter("p", 1, 1), with_beta = filled_parameter("p", 1, 1);
  AdamW a({.betas = {0.8, 0.99}}), b({.betas = {0.4, 0.99}});
  a.attach(one_group({with_factor}));
  b.attach(one_group({with_beta}));
  for (int step = 0; step < 3; ++step) {
    with_factor.tensor.grad().fill_(step - 1.5);
    with_beta.tensor.grad().fill_(step - 1.5);
    a.step(0.1, 0.5);
    b.step(0.1, 1);
  }
  EXPECT_EQ(first(with_factor.tensor), first(with_beta.tensor));
  EXPECT_NE(first(with_factor.tensor), 1);
}

TEST(adamw, refuses_a_factor_that_lifts_the_first_beta_to_one) {
  AdamW adamw({});
  try {
    adamw.step(0.1, 1.2);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("expected the first beta times the factor below 1, got 1.08"));
  }
}

TEST(adamw, asks_for_the_moments_of_every_parameter_that_took_a_step) {
  const NamedTensor p = filled_parameter("p", 1, 1);
  AdamW saved({}), loaded({.amsgrad = true});
  saved.attach(one_group({p}));
  saved.step(0.1, 1);
  loaded.attach(one_group({p}));
  try {
    loaded.load_state(saved.state());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::data);
    EXPECT_THAT(e.what(), HasSubstr("state of optimizer adamw: missing tensor: expected p.max_exp_avg_sq"));
  }
}

TEST(adamw, is_built_from_checked_options) {
  kinema::test::ComponentsUnderTest host(register_builtin_optimizers);
  const Value betas = Value(Value::Array{0.9, 0.95});
  EXPECT_NE(host.make<Optimizer>("adamw", Value::table({{"betas", betas}, {"eps", 1e-6}})), nullptr);
  const auto problems = [&](Value::Array list) {
    return host.problems("optimizer", "adamw", Value::table({{"betas", Value(std::move(list))}}));
  };
  EXPECT_THAT(problems({0.9, 1.0}), HasSubstr("betas out of range: expected numbers below 1, got 1"));
  EXPECT_NE(problems({0.9}), "");
  EXPECT_NE(problems({0.9, -0.1}), "");
  for (const Option& option : host.find("optimizer", "adamw")->options.options()) EXPECT_NE(option.help, "");
}

}  // namespace
}  // namespace kinema::train::test
