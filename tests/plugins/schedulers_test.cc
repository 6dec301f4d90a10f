#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kinema/scheduler.h"
#include "tests/support/golden.h"
#include "tests/support/plugin_under_test.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

std::shared_ptr<Scheduler> make(const std::string& type, const Value& options = Value::table()) {
  return test::plugin_under_test(type)->make<Scheduler>(type, options);
}

Progress at_step(std::int64_t step, std::int64_t total_steps, std::int64_t steps_per_epoch = 1) {
  Progress progress;
  progress.step = step;
  progress.total_steps = total_steps;
  progress.steps_per_epoch = steps_per_epoch;
  progress.epoch = static_cast<double>(step) / static_cast<double>(steps_per_epoch);
  progress.total_epochs = static_cast<double>(total_steps) / static_cast<double>(steps_per_epoch);
  return progress;
}

Value reals(const Json& list) {
  Value::Array array;
  for (const Json& v : list) array.emplace_back(v.get<double>());
  return Value(std::move(array));
}

Json torch_case(const std::string& op, const std::string& anneal = {}) {
  for (const Json& c : test::golden_cases("schedules/torch_lr.json"))
    if (c["op"] == op && (anneal.empty() || c["args"]["anneal_strategy"] == anneal)) return c;
  throw std::runtime_error("no golden case " + op);
}

Json slowfast_case(const std::string& op) {
  for (const Json& c : test::golden_cases("schedules/pyslowfast_lr.json"))
    if (c["op"] == op) return c;
  throw std::runtime_error("no golden case " + op);
}

// Learning rates of the first `count` steps of a golden case.
void expect_rates(const Scheduler& scheduler, const Json& c, double base, std::int64_t total,
                  std::size_t count) {
  ASSERT_LE(count, c["lr"].size());
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_NEAR(base * scheduler.factors(at_step(static_cast<std::int64_t>(i), total)).lr,
                c["lr"][i].get<double>(), 1e-12)
        << c["op"] << " step " << i;
}

// Learning rates by fractional epoch, from `from` on: before that PySlowFast warms up, which is the host's
// part.
void expect_rates_by_epoch(const Scheduler& scheduler, const Json& c, double from) {
  constexpr std::int64_t kStepsPerEpoch = 20;  // every epoch of the case is a whole number of steps
  const std::int64_t total = c["solver"]["MAX_EPOCH"].get<std::int64_t>() * kStepsPerEpoch;
  int compared = 0;
  for (std::size_t i = 0; i < c["epochs"].size(); ++i) {
    const double epoch = c["epochs"][i];
    if (epoch < from) continue;
    const Progress progress = at_step(std::llround(epoch * kStepsPerEpoch), total, kStepsPerEpoch);
    EXPECT_NEAR(c["solver"]["BASE_LR"].get<double>() * scheduler.factors(progress).lr,
                c["lr"][i].get<double>(), 1e-12)
        << c["op"] << " epoch " << epoch;
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

TEST(constant, keeps_the_rate) {
  const Factors factors = make("constant")->factors(at_step(7, 10));
  EXPECT_EQ(factors.lr, 1);
  EXPECT_EQ(factors.momentum, 1);
}

TEST(multistep, equals_torch) {
  const Json c = torch_case("MultiStepLR");
  const auto scheduler = make("multistep", Value::table({{"milestones", reals(c["args"]["milestones"])},
                                                         {"gamma", c["args"]["gamma"].get<double>()}}));
  expect_rates(*scheduler, c, 0.1, 10, 11);
}

TEST(multistep, equals_pyslowfasts_relative_steps) {
  const auto one = make("multistep", Value::table({{"milestones", reals({41, 49})}}));
  expect_rates_by_epoch(*one, slowfast_case("steps_no_warmup"), 0);
  const auto two = make("multistep", Value::table({{"milestones", reals({10, 15, 20})}}));
  expect_rates_by_epoch(*two, slowfast_case("steps_with_relative_lrs"), 5);
}

TEST(multistep, falls_within_an_epoch_at_a_fractional_milestone) {
  const auto scheduler = make("multistep", Value::table({{"milestones", reals({1.5})}, {"gamma", 0.5}}));
  EXPECT_EQ(scheduler->factors(at_step(14, 100, 10)).lr, 1);
  EXPECT_EQ(scheduler->factors(at_step(15, 100, 10)).lr, 0.5);
}

TEST(cosine, equals_torch_up_to_the_end_and_stays_there) {
  const Json c = torch_case("CosineAnnealingLR");
  const auto scheduler = make("cosine", Value::table({{"end", 0.01}}));
  expect_rates(*scheduler, c, 0.1, 12, 13);
  EXPECT_NEAR(scheduler->factors(at_step(14, 12)).lr, 0.01, 1e-15);
}

TEST(cosine, equals_pyslowfast_with_and_without_an_offset) {
  expect_rates_by_epoch(*make("cosine"), slowfast_case("cosine"), 34);
  const auto after_warmup = make("cosine", Value::table({{"end", 0.01}, {"begin_epoch", 5.0}}));
  expect_rates_by_epoch(*after_warmup, slowfast_case("cosine_after_warmup"), 5);
  EXPECT_EQ(after_warmup->factors(at_step(0, 100, 10)).lr, 1);
}

TEST(polynomial, equals_torch) {
  const Json c = torch_case("PolynomialLR");
  expect_rates(*make("polynomial", Value::table({{"power", 0.9}})), c, 0.1, 10, 13);
}

TEST(polynomial, ends_at_the_share_asked_for) {
  const auto scheduler = make("polynomial", Value::table({{"power", 2.0}, {"end", 0.2}}));
  EXPECT_DOUBLE_EQ(scheduler->factors(at_step(5, 10)).lr, 0.2 + 0.8 * 0.25);
  EXPECT_DOUBLE_EQ(scheduler->factors(at_step(10, 10)).lr, 0.2);
}

TEST(onecycle, equals_torch_in_rate_and_momentum) {
  const Json c = torch_case("OneCycleLR", "cos");
  const auto scheduler = make("onecycle");
  expect_rates(*scheduler, c, 0.4, 20, 20);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_NEAR(0.95 * scheduler->factors(at_step(static_cast<std::int64_t>(i), 20)).momentum,
                c["momentum"][i].get<double>(), 1e-12);
}

TEST(onecycle, anneals_in_straight_lines) {
  const auto scheduler = make("onecycle", Value::table({{"anneal", "linear"}}));
  expect_rates(*scheduler, torch_case("OneCycleLR", "linear"), 0.4, 20,
               6);  // then torch's case has three phases
  const double end = 1 / 25.0 / 1e4;
  EXPECT_NEAR(scheduler->factors(at_step(12, 20)).lr, (1 + end) / 2, 1e-12);
  EXPECT_NEAR(scheduler->factors(at_step(19, 20)).lr, end, 1e-12);
}

TEST(onecycle, leaves_momentum_alone_when_told_so) {
  const auto scheduler = make("onecycle", Value::table({{"cycle_momentum", false}}));
  for (int step = 0; step < 25; ++step) EXPECT_EQ(scheduler->factors(at_step(step, 20)).momentum, 1);
}

TEST(schedulers, give_finite_factors_that_are_not_negative_for_every_progress) {
  const std::vector<std::pair<std::string, Value>> all = {
      {"constant", Value::table()},
      {"multistep", Value::table({{"milestones", reals({0, 3})}, {"gamma", 0.0}})},
      {"multistep", Value::table({{"milestones", reals({1, 1, 2})}, {"gamma", 10.0}})},
      {"cosine", Value::table()},
      {"cosine", Value::table({{"begin_epoch", 30.0}, {"end", 0.5}})},
      {"polynomial", Value::table({{"power", 0.3}})},
      {"onecycle", Value::table()},
      {"onecycle", Value::table({{"pct_start", 0.0}, {"anneal", "linear"}})},
      {"onecycle", Value::table({{"pct_start", 1.0}, {"base_momentum", 0.0}})},
  };
  for (const auto& [type, options] : all) {
    const auto scheduler = make(type, options);
    for (const std::int64_t total : {0, 1, 2, 3, 20})
      for (const std::int64_t step : {-1, 0, 1, 2, 3, 19, 20, 21, 1000000})
        for (const std::int64_t per_epoch : {1, 7}) {
          const Factors f = scheduler->factors(at_step(step, total, per_epoch));
          EXPECT_TRUE(std::isfinite(f.lr) && f.lr >= 0) << type << " " << step << " of " << total;
          EXPECT_TRUE(std::isfinite(f.momentum) && f.momentum >= 0) << type << " " << step << " of " << total;
        }
  }
}

TEST(schedulers, refuse_options_that_make_no_schedule) {
  const auto problems = [](const std::string& type, const Value& options) {
    return test::plugin_under_test(type)->problems("scheduler", type, options);
  };
  EXPECT_NE(problems("multistep", Value::table()), "");
  EXPECT_NE(problems("multistep", Value::table({{"milestones", Value(Value::Array{})}})), "");
  EXPECT_THAT(problems("multistep", Value::table({{"milestones", reals({1, 2})}, {"gamma", 1e200}})),
              HasSubstr("gamma too large: expected a finite rate after all milestones, got gamma 1e+200"));
  EXPECT_NE(problems("cosine", Value::table({{"end", 2.0}})), "");
  EXPECT_NE(problems("polynomial", Value::table({{"power", -1.0}})), "");
  EXPECT_NE(problems("onecycle", Value::table({{"anneal", "stairs"}})), "");
  EXPECT_THAT(problems("onecycle", Value::table({{"base_momentum", 0.99}})),
              HasSubstr("base_momentum too large: expected at most max_momentum (0.95), got 0.99"));
}

TEST(schedulers, explain_every_option) {
  for (const char* type : {"constant", "multistep", "cosine", "polynomial", "onecycle"}) {
    const auto host = test::plugin_under_test(type);
    const ComponentInfo* info = host->find("scheduler", type);
    ASSERT_NE(info, nullptr) << type;
    EXPECT_NE(info->help, "");
    for (const Option& option : info->options.options())
      EXPECT_NE(option.help, "") << type << "." << option.name;
  }
}

}  // namespace
}  // namespace kinema
