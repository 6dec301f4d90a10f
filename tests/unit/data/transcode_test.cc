#include "framework/data/transcode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/data/transcode_ledger.h"
#include "tests/support/clips.h"
#include "tests/support/scratch.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::make_clip;
using test::Scratch;
using test::slurp;
using test::spit;
using testing::HasSubstr;
using testing::StartsWith;

// Two good videos, one bad one and a list of labels.
void fill(const Scratch& scratch) {
  fs::create_directories(scratch / "in/run");
  make_clip(scratch / "in/run/a.mp4", {.frames = 20});
  make_clip(scratch / "in/b.webm.mp4", {.frames = 10});
  spit(scratch / "in/bad.avi", "noise");
  spit(scratch / "in/labels.csv", "run/a.mp4,run\n");
}

TranscodeRun to(const Scratch& scratch, double fps = 5) {
  TranscodeRun run;
  run.output = scratch / "out";
  run.options.fps = fps;
  run.threads = 2;
  return run;
}

TranscodeReport done(const Scratch& scratch, const TranscodeRun& run) {
  return transcode_files(work_of_folder(scratch / "in", run.output), run);
}

TEST(transcode_files, keeps_names_takes_annotations_along_and_lists_bad_videos) {
  const Scratch scratch;
  fill(scratch);
  const TranscodeReport report = done(scratch, to(scratch));
  EXPECT_EQ(report.written, 2u);
  EXPECT_EQ(report.copied, 1u);
  ASSERT_EQ(report.refused.size(), 1u);
  EXPECT_EQ(report.refused[0].name, "bad.avi");
  EXPECT_THAT(report.refused[0].reason, StartsWith("not a video"));
  EXPECT_GT(report.bytes_before, report.bytes_after);
  EXPECT_EQ(media::examine(scratch / "out/run/a.mp4", media::Depth::everything).info.frame_count, 4);
  EXPECT_EQ(slurp(scratch / "out/labels.csv"), "run/a.mp4,run\n");
  for (const auto& entry : fs::recursive_directory_iterator(scratch / "out"))
    EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr("-part-")));
}

TEST(transcode_files, a_second_run_finds_everything_done_and_a_changed_source_is_done_again) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  const std::string before = slurp(scratch / "out/run/a.mp4");
  const auto time = fs::last_write_time(scratch / "out/run/a.mp4");
  TranscodeReport again = done(scratch, to(scratch));
  EXPECT_EQ(again.written, 0u);
  EXPECT_EQ(again.finished_before, 2u);
  EXPECT_EQ(again.copied, 0u);
  EXPECT_EQ(fs::last_write_time(scratch / "out/run/a.mp4"), time);
  make_clip(scratch / "in/run/a.mp4", {.frames = 40});
  again = done(scratch, to(scratch));
  EXPECT_EQ(again.written, 1u);
  EXPECT_NE(slurp(scratch / "out/run/a.mp4"), before);
}

TEST(transcode_files, what_a_killed_run_left_is_swept_away_and_done) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  // Killed while the first video was written, and while a line was.
  fs::remove(scratch / "out/run/a.mp4");
  spit(scratch / "out/run/a.mp4.kinema-part-4711", "half");
  spit(scratch / "out/transcode.tsv", slurp(scratch / "out/transcode.tsv") + "b.webm.m");
  const TranscodeReport report = done(scratch, to(scratch));
  EXPECT_EQ(report.written, 1u);
  EXPECT_EQ(report.finished_before, 1u);
  EXPECT_TRUE(fs::exists(scratch / "out/run/a.mp4"));
  EXPECT_FALSE(fs::exists(scratch / "out/run/a.mp4.kinema-part-4711"));
  EXPECT_EQ(done(scratch, to(scratch)).finished_before, 2u);
}

TEST(transcode_files, other_settings_are_noticed) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  EXPECT_THAT(error_of([&] { done(scratch, to(scratch, 6)); }),
              testing::AllOf(HasSubstr("made with other settings: expected {\"format\": 1"),
                             HasSubstr("\"fps\": 5,"), HasSubstr("\"fps\": 6,")));
}

TEST(transcode_files, never_touches_what_it_did_not_make) {
  const Scratch scratch;
  fill(scratch);
  fs::create_directories(scratch / "out/run");
  spit(scratch / "out/run/a.mp4", "somebody else's");
  fs::create_symlink(scratch / "in/b.webm.mp4", scratch / "out/b.webm.mp4");
  const std::string source = slurp(scratch / "in/b.webm.mp4");
  const TranscodeReport report = done(scratch, to(scratch));
  EXPECT_EQ(report.written, 0u);
  ASSERT_EQ(report.refused.size(), 3u);
  EXPECT_THAT(report.refused[0].reason, StartsWith("a file that was not made here"));
  EXPECT_EQ(slurp(scratch / "out/run/a.mp4"), "somebody else's");
  EXPECT_EQ(slurp(scratch / "in/b.webm.mp4"), source);
}

TEST(transcode_files, writes_nothing_outside_of_its_folder) {
  const Scratch scratch;
  fill(scratch);
  fs::create_directories(scratch / "elsewhere");
  fs::create_directories(scratch / "out");
  fs::create_directory_symlink(scratch / "elsewhere", scratch / "out/run");
  TranscodeWork work;
  for (const char* name :
       {"../x.mp4", "/tmp/x.mp4", "run/../../x.mp4", "run/a.mp4", "a\tb.mp4", "transcode.tsv"})
    work.videos.push_back({name, scratch / "in/run/a.mp4"});
  const TranscodeReport report = transcode_files(work, to(scratch));
  EXPECT_EQ(report.written, 0u);
  ASSERT_EQ(report.refused.size(), 6u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_THAT(report.refused[i].reason, StartsWith("outside of the folder"));
  EXPECT_TRUE(fs::is_empty(scratch / "elsewhere"));
  EXPECT_FALSE(fs::exists(scratch / "x.mp4"));
}

TEST(transcode_files, two_runs_do_not_write_one_folder) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  const std::string settings = slurp(scratch / "out/transcode.json");
  const TranscodeLedger first(scratch / "out", settings.substr(0, settings.size() - 1));
  EXPECT_THAT(error_of([&] { done(scratch, to(scratch)); }), HasSubstr("in use: expected to be alone"));
}

TEST(transcode_files, parts_by_frame_number_forbid_another_rate) {
  const auto set = std::make_shared<test::ListedItems>();
  set->add_video("/data/a/1.mp4", 0);
  set->items[0].span = {Span::Unit::frames, 0, 5};
  EXPECT_EQ(work_of_splits({{"train", set}}, "/data", "/out", false).videos.at(0).name, "a/1.mp4");
  EXPECT_THAT(error_of([&] {
                work_of_splits({{"train", set}}, "/data", "/out", true);
              }),
              HasSubstr("items are parts by frame number"));
}

}  // namespace
}  // namespace kinema::data
