#include "framework/eval/average_precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/formula.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"

namespace kinema::eval {
namespace {

using testing::HasSubstr;

// Scores and targets of a golden case.
struct Case {
  std::vector<float> scores, values;
  std::vector<std::int64_t> labels;
  std::int64_t classes;
  explicit Case(const nlohmann::json& c) : classes(c["shape"][1]) {
    const std::size_t samples = c["shape"][0];
    labels.assign(samples, -1);
    for (const float v : test::formula_values(c["scores_key"].get<std::string>(),
                                              samples * static_cast<std::size_t>(classes), 0.5, 0.5)) {
      const auto steps = c["quantised_to"];
      scores.push_back(steps.is_null() ? v : std::floor(v * steps.get<float>()) / steps.get<float>());
    }
    for (const nlohmann::json& row : c["labels"])
      for (const nlohmann::json& value : row) values.push_back(value.get<float>());
  }
  ScoredSamples samples() const { return {scores, labels, values, classes}; }
};

TEST(average_precision, equals_the_reference_with_and_without_ties) {
  int compared = 0;
  for (const nlohmann::json& c : test::golden_cases("metrics/multilabel_map.json")) {
    AveragePrecision metric;
    metric.add(Case(c).samples());
    EXPECT_NEAR(metric.result()[0].value, c["map"].get<double>(), 1e-12);
    const std::vector<double> each = metric.of_classes();
    for (std::size_t k = 0; k < each.size(); ++k) {
      const nlohmann::json& expected = c["ap_per_class"][k];
      if (expected.is_null())
        EXPECT_TRUE(std::isnan(each[k]));
      else
        EXPECT_NEAR(each[k], expected.get<double>(), 1e-12);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

TEST(average_precision, merges_ranks_exactly_even_one_that_saw_nothing) {
  const Case whole(test::golden_cases("metrics/multilabel_map.json")[1]);
  const std::size_t classes = static_cast<std::size_t>(whole.classes), cut = 7;
  AveragePrecision all, first, second, idle;
  all.add(whole.samples());
  first.add({std::span(whole.scores).first(cut * classes), std::span(whole.labels).first(cut),
             std::span(whole.values).first(cut * classes), whole.classes});
  second.add({std::span(whole.scores).subspan(cut * classes), std::span(whole.labels).subspan(cut),
              std::span(whole.values).subspan(cut * classes), whole.classes});
  idle.merge(first.state());
  idle.merge(second.state());
  idle.merge(AveragePrecision().state());
  EXPECT_EQ(idle.result()[0].value, all.result()[0].value);
}

TEST(average_precision, takes_labels_where_there_are_no_values) {
  const std::vector<float> scores = {0.9F, 0.1F, 0.2F, 0.8F, 0.7F, 0.3F};
  const std::vector<std::int64_t> labels = {0, 1, -1};
  AveragePrecision metric;
  EXPECT_TRUE(std::isnan(metric.result()[0].value));
  metric.add({scores, labels, {}, 2});
  EXPECT_EQ(metric.result()[0].value, 1);
}

TEST(average_precision, refuses_what_does_not_fit) {
  AveragePrecision metric;
  const std::vector<float> scores = {0.9F, 0.1F};
  const std::vector<std::int64_t> labels = {0}, wrong = {2};
  metric.add({scores, labels, {}, 2});
  EXPECT_THAT(test::error_of([&] {
                metric.add({scores, labels, {}, 1});
              }),
              HasSubstr("expected 2 classes, got 1"));
  EXPECT_THAT(test::error_of([&] { metric.add({scores, wrong, {}, 2}); }), HasSubstr("bad label"));
  EXPECT_THAT(test::error_of([&] { metric.merge(std::vector<double>(4)); }), HasSubstr("bad state"));
}

}  // namespace
}  // namespace kinema::eval
