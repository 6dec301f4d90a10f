#include "framework/eval/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/eval/builtin_metrics.h"
#include "kinema/error.h"
#include "tests/support/components_under_test.h"
#include "tests/support/formula.h"
#include "tests/support/golden.h"

namespace kinema::eval {
namespace {

using ::testing::HasSubstr;

struct Samples {
  std::vector<float> scores;
  std::vector<std::int64_t> labels;
  std::int64_t classes;
  ScoredSamples view(std::size_t begin, std::size_t end) const {
    const std::size_t c = static_cast<std::size_t>(classes);
    return {std::span(scores).subspan(begin * c, (end - begin) * c),
            std::span(labels).subspan(begin, end - begin),
            {},
            classes};
  }
  ScoredSamples all() const { return view(0, labels.size()); }
};

nlohmann::json golden_case(const std::string& op) {
  for (const nlohmann::json& c : test::golden_cases("metrics/accuracy.json"))
    if (c["op"] == op) return c;
  throw std::runtime_error("no golden case " + op);
}

Samples golden_samples() {
  const nlohmann::json c = golden_case("topk");
  return {test::formula_values(c["preds_key"].get<std::string>(), 280), c["labels"], 7};
}

TEST(accuracy, equals_the_reference_top_k) {
  const nlohmann::json c = golden_case("topk");
  Accuracy accuracy({.k = c["ks"]});
  accuracy.add(golden_samples().all());
  const std::vector<NamedValue> result = accuracy.result();
  ASSERT_EQ(result.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_DOUBLE_EQ(result[i].value, c["correct"][i].get<double>() / 40) << result[i].name;
  EXPECT_EQ(accuracy.names(), (std::vector<std::string>{"top1", "top2", "top5"}));
  EXPECT_EQ(result[2].name, "top5");
}

TEST(accuracy, gives_equal_scores_to_the_lower_numbered_class) {
  const nlohmann::json c = golden_case("topk_ties");
  Samples samples{{}, c["labels"], 5};
  for (const nlohmann::json& row : c["preds"])
    for (const nlohmann::json& score : row) samples.scores.push_back(score.get<float>());
  Accuracy accuracy({.k = c["ks"]});
  accuracy.add(samples.all());
  const std::vector<double> state = accuracy.state();
  // By hand: the labels stand at places 2, 3, 5 and 3 of their rows.
  EXPECT_EQ(state, (std::vector<double>{4, 0, 1, 3}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GE(state[i + 1], c["worst_case"][i].get<double>());
    EXPECT_LE(state[i + 1], c["best_case"][i].get<double>());
  }
}

TEST(accuracy, counts_every_sample_for_a_k_above_the_number_of_classes) {
  const Samples samples{{0.1f, 0.2f, 0.7f, 0.5f, 0.3f, 0.2f}, {0, 2}, 3};
  Accuracy accuracy({});
  accuracy.add(samples.all());
  EXPECT_EQ(accuracy.result()[0].value, 0);
  EXPECT_EQ(accuracy.result()[1].value, 1);
}

TEST(accuracy, merges_ranks_exactly) {
  const Samples samples = golden_samples();
  Accuracy whole({}), first({}), second({}), idle({});
  whole.add(samples.all());
  first.add(samples.view(0, 13));
  second.add(samples.view(13, 31));
  second.add(samples.view(31, 40));
  first.merge(second.state());
  first.merge(idle.state());
  EXPECT_EQ(first.state(), whole.state());
  first.reset();
  EXPECT_EQ(first.state(), idle.state());
}

TEST(accuracy, leaves_out_samples_without_a_label_and_never_rewards_nan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Accuracy accuracy({.k = {1}});
  EXPECT_TRUE(std::isnan(accuracy.result()[0].value));
  accuracy.add(Samples{{0.1f, 0.9f}, {-1}, 2}.all());
  EXPECT_TRUE(std::isnan(accuracy.result()[0].value));
  accuracy.add(Samples{{0.1f, 0.9f, nan, 0.9f, 0.9f, nan, nan, nan}, {1, 1, 0, 0}, 2}.all());
  EXPECT_EQ(accuracy.result()[0].value, 0.25);
}

TEST(accuracy, refuses_labels_and_sizes_that_do_not_fit) {
  Accuracy accuracy({});
  const auto message = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(message([&] {
                accuracy.add(Samples{{0.1f, 0.9f}, {2}, 2}.all());
              }),
              HasSubstr("metric accuracy: bad label: expected -1 to 1, got 2"));
  const std::vector<float> scores = {0.1f, 0.9f};
  const std::vector<std::int64_t> labels = {0};
  EXPECT_THAT(message([&] {
                accuracy.add({scores, labels, {}, 3});
              }),
              HasSubstr("bad scores: expected 3 of them for 1 samples of 3 classes, got 2"));
  EXPECT_THAT(message([&] {
                accuracy.add({{}, {}, {}, 0});
              }),
              HasSubstr("bad scores: expected at least 1 class, got 0"));
  EXPECT_THAT(message([&] { accuracy.merge(std::vector<double>{1}); }),
              HasSubstr("bad state: expected 3 numbers, got 1"));
  EXPECT_EQ(accuracy.state(), (std::vector<double>{0, 0, 0}));
}

TEST(accuracy, is_built_from_checked_options) {
  test::ComponentsUnderTest host(register_builtin_metrics);
  EXPECT_EQ(host.make<Metric>("accuracy")->names(), (std::vector<std::string>{"top1", "top5"}));
  const auto problems = [&](Value::Array k) {
    return host.problems("metric", "accuracy", Value::table({{"k", Value(std::move(k))}}));
  };
  EXPECT_EQ(problems({3}), "");
  EXPECT_NE(problems({}), "");
  EXPECT_NE(problems({0}), "");
  EXPECT_THAT(problems({2, 2}), HasSubstr("k repeats: expected different numbers, got 2 twice"));
}

}  // namespace
}  // namespace kinema::eval
