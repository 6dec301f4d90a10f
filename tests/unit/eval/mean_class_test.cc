#include "framework/eval/mean_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "framework/eval/builtin_metrics.h"
#include "kinema/error.h"
#include "tests/support/components_under_test.h"
#include "tests/support/formula.h"
#include "tests/support/golden.h"

namespace kinema::eval {
namespace {

using ::testing::HasSubstr;

TEST(mean_class, equals_the_reference_balanced_accuracy) {
  for (const nlohmann::json& c : test::golden_cases("metrics/accuracy.json")) {
    if (c["op"] != "confusion_matrix") continue;
    const std::vector<float> scores = test::formula_values(c["preds_key"].get<std::string>(), 280);
    const std::vector<std::int64_t> labels = c["labels"];
    MeanClass metric;
    metric.add({scores, labels, {}, 7});
    EXPECT_EQ(metric.result()[0].name, "mean_class");
    EXPECT_NEAR(metric.result()[0].value, c["sklearn_balanced_accuracy"].get<double>(), 1e-15);
    return;
  }
  FAIL() << "no golden case";
}

TEST(mean_class, averages_over_the_classes_that_occur_alone) {
  // Class 0: one of two; class 2: one of one; class 1 never occurs.
  const std::vector<float> scores = {0.9f, 0.1f, 0.f, 0.1f, 0.9f, 0.f, 0.1f, 0.2f, 0.7f};
  const std::vector<std::int64_t> labels = {0, 0, 2};
  MeanClass metric(3);
  EXPECT_TRUE(std::isnan(metric.result()[0].value));
  metric.add({scores, labels, {}, 3});
  EXPECT_EQ(metric.result()[0].value, 0.75);
}

TEST(mean_class, merges_ranks_exactly_even_one_that_saw_nothing) {
  const std::vector<float> scores = test::formula_values("scores", 90);
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 30; ++i) labels.push_back(i * i % 3);
  MeanClass whole, first(3), second, idle, empty_target;
  whole.add({scores, labels, {}, 3});
  first.add({std::span(scores).first(33), std::span(labels).first(11), {}, 3});
  second.add({std::span(scores).subspan(33), std::span(labels).subspan(11), {}, 3});
  first.merge(second.state());
  first.merge(idle.state());
  EXPECT_EQ(first.state(), whole.state());
  empty_target.merge(whole.state());
  EXPECT_EQ(empty_target.result()[0].value, whole.result()[0].value);
}

TEST(mean_class, has_a_state_of_one_size_on_every_rank_when_the_classes_are_known) {
  test::ComponentsUnderTest host(register_builtin_metrics);
  host.class_names = {"run", "jump", "swim"};
  EXPECT_EQ(host.make<Metric>("mean_class")->state(), std::vector<double>(6, 0));
}

TEST(mean_class, refuses_another_number_of_classes) {
  const std::vector<float> scores = {0.1f, 0.9f};
  const std::vector<std::int64_t> labels = {0};
  MeanClass metric(3);
  const auto message = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(message([&] {
                metric.add({scores, labels, {}, 2});
              }),
              HasSubstr("metric mean_class: bad scores: expected 3 classes, got 2"));
  EXPECT_THAT(message([&] { metric.merge(std::vector<double>(4)); }),
              HasSubstr("metric mean_class: bad state: expected 6 numbers, got 4"));
}

}  // namespace
}  // namespace kinema::eval
