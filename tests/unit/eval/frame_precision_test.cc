#include "framework/eval/frame_precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "framework/eval/builtin_metrics.h"
#include "tests/support/components_under_test.h"
#include "tests/support/scratch.h"

namespace kinema::eval {
namespace {

const LabelledBox kLeft{0, 0, 0.4, 1, {0}, 1}, kRight{0.6, 0, 1, 1, {0, 1}, 1};

void add(FramePrecision& metric, std::size_t item, const std::vector<LabelledBox>& boxes,
         const std::vector<float>& scores, const std::vector<LabelledBox>& truth) {
  static_cast<MeasuresBoxes&>(metric).add({item, boxes, scores, truth, 2});
}

// Class 0: true boxes left, right, left; found in the order of the scores right (0.9, hit), left of item 1
// (0.8, nothing there), left (0.5, hit), so 1/3 (1 + 2/3). Class 1: one true box, the better score is wrong.
TEST(frame_precision, is_the_area_under_the_curve_of_each_class) {
  FramePrecision metric({}, {0, 1});
  add(metric, 0, {kLeft, kRight}, {0.5F, 0.7F, 0.9F, 0.6F}, {kLeft, kRight});
  add(metric, 1, {kLeft}, {0.8F, 0.1F}, {{0.5, 0.5, 0.9, 0.9, {0}, 1}});
  EXPECT_THAT(metric.of_classes(), testing::ElementsAre(testing::DoubleEq((1 + 2.0 / 3) / 3), 0.5));
  EXPECT_EQ(metric.result()[0].name, "frame_mAP");
  EXPECT_DOUBLE_EQ(metric.result()[0].value, ((1 + 2.0 / 3) / 3 + 0.5) / 2);
  metric.reset();
  EXPECT_TRUE(std::isnan(metric.result()[0].value)) << "nothing was there";
}

TEST(frame_precision, missed_people_and_frames_without_boxes_count) {
  FramePrecision metric({}, {0, 1});
  add(metric, 0, {kLeft}, {1, 0}, {kLeft});
  add(metric, 1, {}, {}, {kLeft});
  EXPECT_DOUBLE_EQ(metric.result()[0].value, 0.5);
}

TEST(frame_precision, the_rules_differ_in_frames_without_truth) {
  for (const auto rule : {detection::MapRule::official, detection::MapRule::slowfast}) {
    FramePrecision metric({.rule = rule}, {0, 1});
    add(metric, 0, {kLeft}, {0.5F, 0}, {kLeft});
    add(metric, 1, {kLeft}, {0.9F, 0}, {});
    const bool official = rule == detection::MapRule::official;
    EXPECT_DOUBLE_EQ(metric.result()[0].value, official ? 1 : 0.5);
    EXPECT_EQ(metric.names()[0], official ? "frame_mAP" : "frame_mAP_slowfast");
  }
}

TEST(frame_precision, parts_of_an_evaluation_add_up) {
  FramePrecision all({}, {0, 1}), first({}, {0, 1}), second({}, {0, 1});
  const auto feed = [](FramePrecision& a, FramePrecision& b) {
    add(a, 0, {kLeft, kRight}, {0.5F, 0.7F, 0.9F, 0.6F}, {kLeft, kRight});
    add(b, 1, {kLeft}, {0.8F, 0.1F}, {kRight});
  };
  feed(all, all);
  feed(first, second);
  first.merge(second.state());
  EXPECT_EQ(first.of_classes(), all.of_classes());
}

TEST(frame_precision, only_the_listed_classes_count) {
  test::ComponentsUnderTest host(register_builtin_metrics);
  host.class_names = {"sit", "stand"};
  const std::string file = testing::TempDir() + "/kinema_frame_precision.pbtxt";
  std::ofstream(file) << "item {\n name: \"stand\"\n id: 7\n}\n";
  Value options = Value::table();
  options.set("label_map", file);
  const auto metric = host.make<Metric>("frame_map", options);
  auto& frames = dynamic_cast<FramePrecision&>(*metric);
  add(frames, 0, {kLeft, kRight}, {0.5F, 0.7F, 0.9F, 0.8F}, {kLeft, kRight});
  EXPECT_DOUBLE_EQ(metric->result()[0].value, 1) << "of standing";
  std::ofstream(file) << "item {\n name: \"stnd\"\n id: 7\n}\n";
  EXPECT_THAT(test::error_of([&] { host.make<Metric>("frame_map", options); }),
              testing::AllOf(testing::HasSubstr("unknown class: expected one of the data's, got \"stnd\""),
                             testing::HasSubstr("stand")));
}

TEST(frame_precision, clips_without_boxes_are_refused) {
  FramePrecision metric({}, {0, 1});
  EXPECT_THAT(test::error_of([&] { static_cast<Metric&>(metric).add(ScoredSamples{}); }),
              testing::HasSubstr("expected a data set of boxes, got one of clips"));
}

}  // namespace
}  // namespace kinema::eval
