#include "framework/detection/frame_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "framework/detection/label_map.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"

namespace kinema::detection {
namespace {

namespace fs = std::filesystem;

FrameMap evaluated(const fs::path& labels, const fs::path& truth, const fs::path& detections,
                   const FrameMapOptions& options) {
  std::set<std::int64_t> known;
  for (const auto& [id, name] : read_label_map(labels)) known.insert(id);
  return frame_map(read_boxes(truth, known, BoxScore::none),
                   read_boxes(detections, known, BoxScore::last_field), {known.begin(), known.end()},
                   options);
}

void expect_equal(const FrameMap& result, const fs::path& labels, const nlohmann::json& expected) {
  const std::string prefix = "PascalBoxes_PerformanceByCategory/AP@0.5IOU/";
  EXPECT_NEAR(result.mean, expected["metrics"]["PascalBoxes_Precision/mAP@0.5IOU"].get<double>(), 1e-9);
  for (const auto& [id, name] : read_label_map(labels)) {
    const nlohmann::json& value = expected["metrics"][prefix + name];
    const double got = result.average_precision.at(id);
    if (value.is_null())
      EXPECT_TRUE(std::isnan(got)) << name;
    else
      EXPECT_NEAR(got, value.get<double>(), 1e-9) << name;
  }
}

TEST(frame_map, equals_both_evaluations_of_a_small_case) {
  const fs::path folder = fs::path(KINEMA_GOLDEN_DIR) / "metrics" / "ava_small";
  for (const auto& [rule, file] : {std::pair(MapRule::official, "expected_activitynet.json"),
                                   std::pair(MapRule::slowfast, "expected_slowfast.json")}) {
    const FrameMap result =
        evaluated(folder / "action_list.txt", folder / "gt.csv", folder / "pred.csv", {.rule = rule});
    expect_equal(result, folder / "action_list.txt", test::golden(std::string("metrics/ava_small/") + file));
  }
}

TEST(frame_map, equals_both_evaluations_of_two_official_videos) {
  const char* data = std::getenv("KINEMA_REAL_DATA");
  if (data == nullptr) GTEST_SKIP() << "KINEMA_REAL_DATA is not set";
  const fs::path ava = fs::path(data) / "annotations" / "ava",
                 folder = ava / "reference_map" / "official_val_2videos";
  const fs::path labels = ava / "ava_action_list_v2.2_for_activitynet_2019.pbtxt";
  const std::set<FrameKey> excluded = read_frames(folder / "exclusions_made.csv");
  for (const auto& [rule, name] : {std::pair(MapRule::official, "expected_activitynet"),
                                   std::pair(MapRule::slowfast, "expected_slowfast")})
    for (const bool with_exclusions : {false, true}) {
      FrameMapOptions options{.rule = rule};
      if (with_exclusions) options.excluded = excluded;
      const FrameMap result = evaluated(labels, folder / "gt.csv", folder / "detections.csv", options);
      std::ifstream file(folder /
                         (std::string(name) + (with_exclusions ? "_with_exclusions" : "") + ".json"));
      expect_equal(result, labels, nlohmann::json::parse(file));
      EXPECT_EQ(result.frames, with_exclusions ? 1627 : 1647);
      EXPECT_EQ(result.excluded_frames, with_exclusions ? 20 : 0);
    }
}

const FrameKey kFrame = {"a", 1}, kOther = {"b", 1};
constexpr ScoredBox kTruth{0.1, 0.1, 0.5, 0.5, 1};

ScoredBox found(double score, double shift = 0) { return {0.1 + shift, 0.1, 0.5 + shift, 0.5, 1, score}; }

double precision(const BoxTable& truth, const BoxTable& detections, MapRule rule) {
  return frame_map(truth, detections, {1}, {.rule = rule}).mean;
}

TEST(frame_map, takes_a_box_once_by_the_better_score_or_by_the_earlier_row) {
  const BoxTable truth = {{kFrame, {kTruth}}};
  const BoxTable twice = {{kFrame, {found(0.3), found(0.9, 0.01)}}};
  EXPECT_EQ(precision(truth, twice, MapRule::official), 1);
  EXPECT_EQ(precision(truth, twice, MapRule::slowfast), 0.5) << "the row with 0.3 takes the box";
}

TEST(frame_map, counts_frames_without_truth_for_one_rule_only) {
  const BoxTable truth = {{kFrame, {kTruth}}};
  const BoxTable elsewhere = {{kFrame, {found(0.5)}}, {kOther, {found(0.9)}}};
  EXPECT_EQ(precision(truth, elsewhere, MapRule::official), 1);
  EXPECT_EQ(precision(truth, elsewhere, MapRule::slowfast), 0.5);
}

TEST(frame_map, counts_the_fifty_best_rows_of_a_frame_for_one_rule_only) {
  std::vector<ScoredBox> many(50, found(0.9, 0.4));
  many.push_back(found(0.1));
  const BoxTable truth = {{kFrame, {kTruth}}}, detections = {{kFrame, many}};
  EXPECT_EQ(precision(truth, detections, MapRule::official), 0);
  EXPECT_NEAR(precision(truth, detections, MapRule::slowfast), 1.0 / 51, 1e-12);
}

TEST(frame_map, leaves_out_classes_without_truth) {
  const BoxTable truth = {{kFrame, {kTruth}}}, detections = {{kFrame, {found(0.9)}}};
  const FrameMap result = frame_map(truth, detections, {1, 2}, {});
  EXPECT_EQ(result.mean, 1);
  EXPECT_TRUE(std::isnan(result.average_precision.at(2)));
  EXPECT_TRUE(std::isnan(frame_map({}, detections, {1}, {}).mean));
}

}  // namespace
}  // namespace kinema::detection
