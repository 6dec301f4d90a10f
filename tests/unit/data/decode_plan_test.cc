#include "framework/data/decode_plan.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/support/clips.h"
#include "tests/support/scratch.h"

namespace kinema::data {
namespace {

using testing::HasSubstr;

std::string temporary(const std::string& name) { return testing::TempDir() + "/kinema_decode_plan_" + name; }

std::filesystem::path plan_of(const std::string& text) {
  const std::filesystem::path file = temporary("plan.tsv");
  std::ofstream(file) << text;
  return file;
}

TEST(decode_plan, a_line_is_a_clip_with_its_window) {
  const auto jobs =
      read_decode_plan(plan_of("# path width ...\na.mp4\t340\t256\t2\t5\t128\t112\t0,2,4\r\n\n"
                               "b c.avi\t64\t48\t1\t3\t0\t32\t7\n"));
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].frames, (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_EQ(jobs[0].geometry.output, (Size{112, 112}));
  EXPECT_DOUBLE_EQ(jobs[0].geometry.source.x, 10) << "5 of 170 columns of 340";
  EXPECT_DOUBLE_EQ(jobs[0].geometry.source.y, 4);
  EXPECT_EQ(jobs[1].video, "b c.avi");
  EXPECT_EQ(jobs[1].geometry.source, (Rect{3, 1, 32, 32}));
}

TEST(decode_plan, every_bad_line_is_named) {
  const auto message = [](const std::string& text) {
    return test::error_of([&] { read_decode_plan(plan_of(text)); });
  };
  const std::string all = message(
      "a\t1\n\na\t64\t48\t0\t0\t0\tx\t1\na\t64\t48\t0\t0\t0\t32\t1,-2\n"
      "a\t64\t48\t40\t0\t0\t32\t1\na\t0\t48\t0\t0\t0\t32\t1\n");
  EXPECT_THAT(all, HasSubstr("plan.tsv:1: not a clip: expected 8 fields between tabs, got 2"));
  EXPECT_THAT(all, HasSubstr("plan.tsv:3: not a size or place: expected a whole number, got \"x\""));
  EXPECT_THAT(all, HasSubstr("plan.tsv:4: not a frame number: expected a whole number, got \"-2\""));
  EXPECT_THAT(all, HasSubstr("plan.tsv:5: "));
  EXPECT_THAT(all, HasSubstr("plan.tsv:6: an empty picture"));
  EXPECT_THAT(message("\n"), HasSubstr("an empty plan: expected a line for each clip, got none"));
  EXPECT_THAT(test::error_of([] { read_decode_plan("nowhere.tsv"); }), HasSubstr("cannot read the plan"));
}

TEST(decode_plan, means_are_those_of_the_window_whatever_the_threads) {
  const std::string video = temporary("numbers.mp4");
  test::make_clip(video, {});
  std::string text;
  for (int k = 0; k < 12; ++k)
    text += video + "\t64\t48\t0\t0\t0\t12\t" + std::to_string(k) + "," + std::to_string(k + 2) + "\n";
  const auto jobs = read_decode_plan(plan_of(text));
  const DecodeFigures one = run_decode_plan(jobs, {.threads = 1, .check = true});
  ASSERT_EQ(one.means.size(), 12u);
  EXPECT_EQ(run_decode_plan(jobs, {.threads = 3, .check = true}).means, one.means);
  EXPECT_GT(one.seconds, 0);
  EXPECT_NEAR(one.means[0][0], 30, 3) << "the first block of frames 0 and 2 is black";
  EXPECT_NEAR(one.means[1][0], 225, 3) << "of 1 and 3 white";
  const DecodeFigures floats = run_decode_plan(jobs, {.floats = true, .check = true});
  EXPECT_NEAR(floats.means[1][0], (one.means[1][0] / 255 - 0.45) / 0.225, 1e-4);
  EXPECT_TRUE(run_decode_plan(jobs, {}).means.empty());
}

TEST(decode_plan, every_clip_that_cannot_be_read_is_named) {
  const std::string video = temporary("numbers.mp4");
  test::make_clip(video, {});
  const std::string rest = "\t64\t48\t0\t0\t0\t16\t0\n";
  const auto jobs =
      read_decode_plan(plan_of("gone.mp4" + rest + video + rest + video + "\t66\t48\t0\t0\t0\t16\t0\n" +
                               video + "\t64\t48\t0\t0\t0\t16\t900\n"));
  const std::string all = test::error_of([&] { run_decode_plan(jobs, {.threads = 2}); });
  EXPECT_THAT(all, HasSubstr("gone.mp4: "));
  EXPECT_THAT(all, HasSubstr("another frame size than planned: expected 66x48, got 64x48"));
  EXPECT_THAT(all, HasSubstr("frame out of range: expected 0 to 29, got 900"));
}

}  // namespace
}  // namespace kinema::data
