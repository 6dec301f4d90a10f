#include "framework/train/sgd.h"

#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "framework/train/builtin_optimizers.h"
#include "kinema/error.h"
#include "reference_net.h"
#include "tests/support/components_under_test.h"

namespace kinema::train::test {
namespace {

using ::testing::HasSubstr;
constexpr double kNoGradient = std::numeric_limits<double>::quiet_NaN();

double first(const at::Tensor& t) { return t.detach().reshape({-1})[0].item().toDouble(); }

std::string error_of(const std::function<void()>& action, ErrorKind kind) {
  try {
    action();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind);
    return e.what();
  }
  return "no error";
}

TEST(sgd, takes_torchs_steps_with_every_option) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    Sgd plain({.momentum = 0});
    expect_golden_steps("SGD", plain, dtype);
    Sgd dampened({.momentum = 0.9, .dampening = 0.5});
    expect_golden_steps("SGD momentum wd dampening", dampened, dtype);
    Sgd nesterov({.momentum = 0.9, .nesterov = true});
    expect_golden_steps("SGD nesterov", nesterov, dtype);
  }
}

TEST(sgd, continues_bit_exactly_from_a_saved_state) {
  expect_bit_exact_continuation([]() -> std::unique_ptr<Optimizer> {
    return std::make_unique<Sgd>(SgdOptions{.momentum = 0.9, .dampening = 0.3});
  });
}

TEST(sgd, gives_each_group_its_own_rate_and_weight_decay) {
  const NamedTensor a = filled_parameter("a", 1, 0.5), b = filled_parameter("b", 1, 0.5);
  std::vector<ParamGroup> groups(2);
  groups[0].parameters = {a};
  groups[0].lr_scale = 0.1;
  groups[1].parameters = {b};
  groups[1].weight_decay = 0.25;
  Sgd sgd({.momentum = 0});
  sgd.attach(groups);
  sgd.step(0.1, 1);
  EXPECT_NEAR(first(a.tensor), 1 - 0.1 * 0.1 * 0.5, 1e-6);
  EXPECT_NEAR(first(b.tensor), 1 - 0.1 * (0.5 + 0.25), 1e-6);
}

TEST(sgd, leaves_parameters_without_a_gradient_alone) {
  const NamedTensor idle = filled_parameter("idle", 1, kNoGradient), live = filled_parameter("live", 1, 1);
  Sgd sgd({.momentum = 0.9, .dampening = 0.5});
  sgd.attach(one_group({idle, live}, 0.1));
  sgd.step(0.1, 1);
  EXPECT_EQ(first(idle.tensor), 1);
  EXPECT_LT(first(live.tensor), 1);

  // Its first gradient then starts its own momentum, undampened, whatever the others have done.
  at::Tensor late = idle.tensor;
  late.mutable_grad() = at::full({2, 3, 2}, 1.0, at::kFloat);
  sgd.step(0.1, 1);
  EXPECT_NEAR(first(idle.tensor), 1 - 0.1 * (1 + 0.1), 1e-6);
}

TEST(sgd, multiplies_momentum_with_the_schedulers_factor) {
  const NamedTensor p = filled_parameter("p", 1, 1);
  Sgd sgd({.momentum = 0.8});
  sgd.attach(one_group({p}));
  sgd.step(0.1, 1);    // velocity 1
  sgd.step(0.1, 0.5);  // velocity 0.4 x 1 + 1
  EXPECT_NEAR(first(p.tensor), 1 - 0.1 * 1 - 0.1 * 1.4, 1e-6);
}

TEST(sgd, pairs_the_right_elements_when_memory_layouts_differ) {
  at::Tensor values = at::full({2, 3, 2, 4, 4}, 0.0, at::kFloat).contiguous(at::MemoryFormat::ChannelsLast3d);
  at::Tensor gradient = at::full({2, 3, 2, 4, 4}, 0.0, at::kFloat);
  gradient.select(1, 1).fill_(1);  // channel 1 alone, in another memory order than the parameter
  values.requires_grad_(true);
  values.mutable_grad() = gradient;
  Sgd sgd({.momentum = 0.9});
  sgd.attach(one_group({{"p", values}}));
  sgd.step(1, 1);
  sgd.step(1, 1);
  EXPECT_TRUE(values.is_contiguous(at::MemoryFormat::ChannelsLast3d));
  EXPECT_NEAR(values.detach().select(1, 1).max().item().toDouble(), -2.9, 1e-6);
  EXPECT_NEAR(values.detach().select(1, 1).min().item().toDouble(), -2.9, 1e-6);
  EXPECT_EQ(values.detach().select(1, 0).abs().sum().item().toDouble(), 0);
  EXPECT_EQ(values.detach().select(1, 2).abs().sum().item().toDouble(), 0);
}

TEST(sgd, lists_everything_wrong_with_a_state_and_changes_nothing) {
  const NamedTensor a = filled_parameter("a", 1, 1), b = filled_parameter("b", 1, 1);
  Sgd sgd({});
  sgd.attach(one_group({a, b}));
  sgd.step(0.1, 1);
  std::vector<NamedTensor> state = sgd.state();
  ASSERT_EQ(state.size(), 4u);
  state[0].name = "c.step";
  state[3].tensor = at::full({5}, 1.0, at::kFloat);
  const std::string text = error_of([&] { sgd.load_state(state); }, ErrorKind::data);
  EXPECT_THAT(text, HasSubstr("state of optimizer sgd: missing tensor: expected a.step"));
  EXPECT_THAT(text, HasSubstr("wrong shape of b.momentum: expected [2, 3, 2], got [5]"));
  EXPECT_THAT(text, HasSubstr("unexpected tensor: expected those of the parameters alone, got c.step"));
  EXPECT_EQ(sgd.state()[0].tensor.item().toLong(), 1);
}

TEST(sgd, refuses_parameters_it_cannot_update) {
  const at::Tensor integers = at::full({2}, 1, at::kLong);
  const at::Tensor expanded = at::full({1}, 1.0, at::kFloat).expand({4});
  Sgd sgd({});
  const std::string text = error_of(
      [&] {
        sgd.attach(
            one_group({{"i", integers}, {"e", expanded}, {"e", at::full({1}, 1.0, at::kFloat)}, {"u", {}}}));
      },
      ErrorKind::run);
  EXPECT_THAT(text, HasSubstr("bad parameter i: expected a floating point tensor, got Long"));
  EXPECT_THAT(text,
              HasSubstr("bad parameter e: expected dense memory, got an expanded or strided view of [4]"));
  EXPECT_THAT(text, HasSubstr("bad parameter groups: expected each parameter once, got e twice"));
  EXPECT_THAT(text, HasSubstr("bad parameter u: expected a tensor, got nothing"));
}

TEST(sgd, refuses_a_step_with_numbers_that_would_spoil_the_weights) {
  const NamedTensor p = filled_parameter("p", 1, 1);
  Sgd sgd({});
  sgd.attach(one_group({p}));
  EXPECT_THAT(error_of([&] { sgd.step(kNoGradient, 1); }, ErrorKind::run),
              HasSubstr("bad learning rate: expected a finite number of at least 0, got nan"));
  EXPECT_THAT(error_of([&] { sgd.step(0.1, -1); }, ErrorKind::run),
              HasSubstr("bad momentum factor: expected a finite number of at least 0, got -1"));
  EXPECT_EQ(first(p.tensor), 1);
}

TEST(sgd, is_built_from_checked_options) {
  kinema::test::ComponentsUnderTest host(register_builtin_optimizers);
  EXPECT_NE(host.make<Optimizer>("sgd", Value::table({{"momentum", 0.5}})), nullptr);
  EXPECT_THAT(
      host.problems("optimizer", "sgd", Value::table({{"nesterov", true}, {"momentum", 0.0}})),
      HasSubstr("nesterov is not possible: expected momentum above 0 and dampening 0, got momentum 0"));
  EXPECT_NE(host.problems("optimizer", "sgd", Value::table({{"momentum", 1.5}})), "");
  for (const Option& option : host.find("optimizer", "sgd")->options.options()) EXPECT_NE(option.help, "");
}

}  // namespace
}  // namespace kinema::train::test
