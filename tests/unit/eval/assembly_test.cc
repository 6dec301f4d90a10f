#include "framework/eval/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/eval/builtin_metrics.h"
#include "tests/support/scratch.h"

namespace kinema::eval {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct NamedOptions {
  std::vector<std::string> names;
};

// Gives values of the names that it is told.
struct NamedMetric : Metric {
  std::vector<std::string> given;
  explicit NamedMetric(std::vector<std::string> names) : given(std::move(names)) {}
  void reset() override {}
  void add(const ScoredSamples&) override {}
  std::vector<double> state() const override { return {}; }
  void merge(std::span<const double>) override {}
  std::vector<NamedValue> result() const override { return {}; }
  std::vector<std::string> names() const override { return given; }
};

void register_named(Registrar& registrar) {
  registrar.add<Metric>(
      "named", "gives values of these names",
      Options<NamedOptions>().add("names", &NamedOptions::names, "of its values"),
      [](const NamedOptions& o, Context&) { return std::make_shared<NamedMetric>(o.names); });
}

Component<Metric> named(const std::string& name) {
  return {"named", Value::table({{"names", Value(Value::Array{Value(name)})}})};
}

class metrics : public testing::Test {
 protected:
  metrics() {
    registry.register_builtins(register_builtin_metrics);
    registry.register_builtins(register_named);
  }
  std::vector<std::shared_ptr<Metric>> make() {
    return make_metrics(Workshop{experiment, registry, {"a", "b"}, {}}, set.get());
  }
  std::string problems() {
    return test::error_of([&] { make(); });
  }
  config::Experiment experiment;
  plugin::Registry registry;
  std::shared_ptr<Dataset> set;
};

struct Boxes : Dataset, HasBoxes {
  std::size_t size() const override { return 0; }
  std::vector<std::string> classes() const override { return {"a", "b"}; }
  std::vector<std::int64_t> class_ids() const override { return {1, 2}; }
  Item item(std::size_t) const override { return {}; }
};

TEST_F(metrics, are_those_of_boxes_where_the_data_has_boxes) {
  EXPECT_THAT(problems(), "");
  experiment.metrics = {{"frame_map", Value::table()}};
  EXPECT_THAT(problems(), testing::HasSubstr("expected one that measures clips, got frame_map"));
  set = std::make_shared<Boxes>();
  EXPECT_THAT(known_metrics(make()), testing::ElementsAre("train/loss", "val/loss", "val/frame_mAP"))
      << "listed, so not twice";
  experiment.metrics = {};
  EXPECT_THAT(known_metrics(make()), testing::ElementsAre("train/loss", "val/loss", "val/frame_mAP"));
  experiment.metrics = {named("kappa")};
  EXPECT_THAT(problems(),
              testing::HasSubstr("metric.0: a metric of other data: expected one that measures boxes"));
}

TEST_F(metrics, are_the_built_in_ones_and_those_of_the_file) {
  experiment.metrics = {named("kappa")};
  EXPECT_THAT(known_metrics(make()),
              ElementsAre("train/loss", "val/loss", "val/top1", "val/top5", "val/mean_class", "val/kappa"));
}

TEST_F(metrics, of_the_same_value_name_are_refused_and_both_are_named) {
  experiment.metrics = {{"accuracy"}};
  EXPECT_THAT(problems(),
              HasSubstr("metric.0: value name is taken: expected the metric accuracy to give a name "
                        "of its own, got \"top1\", which the built-in metric accuracy gives"));
  experiment.metrics = {named("kappa"), named("other"), named("kappa")};
  EXPECT_THAT(problems(), HasSubstr("metric.2: value name is taken"));
  EXPECT_THAT(problems(), HasSubstr("which the metric named gives"));
}

TEST_F(metrics, may_not_give_the_loss) {
  experiment.metrics = {named("loss")};
  EXPECT_THAT(problems(), HasSubstr("got \"loss\", which the loss gives"));
}

TEST_F(metrics, of_the_same_type_live_together_under_different_names) {
  Value k = Value::table({{"k", Value(Value::Array{Value(2)})}});
  experiment.metrics = {{"accuracy", k}};
  EXPECT_EQ(problems(), "");
}

}  // namespace
}  // namespace kinema::eval
