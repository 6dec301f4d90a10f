#include "framework/data/shard.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "framework/data/check_shards.h"
#include "framework/data/clip_source.h"
#include "framework/data/shard_set.h"
#include "framework/data/shard_writer.h"
#include "framework/media/video.h"
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
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Five good videos and a bad one.
void fill(const Scratch& scratch) {
  fs::create_directories(scratch / "in/run");
  for (int i = 0; i < 5; ++i)
    make_clip(scratch / ("in/run/" + std::string(1, static_cast<char>('a' + i)) + ".mp4"),
              {.frames = 20 + i, .first_number = 100 * i});
  spit(scratch / "in/bad.avi", "noise");
  spit(scratch / "in/labels.csv", "run/a.mp4,run\n");
}

ShardRun to(const Scratch& scratch, const char* folder = "out") {
  ShardRun run;
  run.output = scratch / folder;
  run.root = scratch / "in";
  run.threads = 2;
  run.shard_bytes = 6'000;  // several shards
  return run;
}

ShardReport done(const Scratch& scratch, const ShardRun& run) {
  return shard_files(work_of_folder(scratch / "in", run.output), run);
}

std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files[entry.path().filename()] = slurp(entry.path());
  return files;
}

std::vector<int> numbers_in(OpenSource& source) {
  std::vector<std::uint8_t> rgb(std::size_t{3} * 64 * 48);
  std::vector<int> numbers;
  for (std::int64_t frame = 0; frame < source.frame_count(); ++frame) {
    source.read(std::vector{frame}, Geometry::whole({64, 48}), rgb.data());
    numbers.push_back(test::frame_number_of(rgb.data(), {64, 48}));
  }
  return numbers;
}

std::shared_ptr<test::ListedItems> items_of(const Scratch& scratch, const std::string& names) {
  auto set = std::make_shared<test::ListedItems>();
  for (const char name : names) set->add_video(scratch / ("in/run/" + std::string(1, name) + ".mp4"), 0);
  return set;
}

TEST(shard_files, writes_all_videos_and_says_what_that_did_to_them) {
  const Scratch scratch;
  fill(scratch);
  const ShardReport report = done(scratch, to(scratch));
  EXPECT_EQ(report.written, 5u);
  ASSERT_EQ(report.refused.size(), 1u);
  EXPECT_EQ(report.refused[0].name, "bad.avi");
  EXPECT_EQ(report.frames, 20 + 21 + 22 + 23 + 24);
  EXPECT_GT(report.psnr_mean, 25);
  EXPECT_GE(report.psnr_mean, report.psnr_least);
  EXPECT_THAT(report.least_name, StartsWith("run/"));
  EXPECT_LE(report.lead_in_after, 5.5);
  EXPECT_GT(report.bytes_before, 0);
  EXPECT_TRUE(fs::exists(scratch / "out/shard-00001.bin")) << "a second shard";
  for (const auto& [name, text] : contents(scratch / "out"))
    EXPECT_THAT(name, testing::Not(HasSubstr("part")));
}

TEST(shard_files, the_bytes_do_not_depend_on_the_threads) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  ShardRun other = to(scratch, "other");
  other.threads = 1;
  done(scratch, other);
  EXPECT_TRUE(contents(scratch / "out") == contents(scratch / "other"));
}

TEST(shard_files, what_a_killed_run_left_is_cut_off_and_the_rest_is_the_same_as_without) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  const auto whole = contents(scratch / "out");
  const std::string table = whole.at("shards.tsv");
  // Killed behind any of the lines: in the middle of a video's bytes, and of the line about it.
  for (std::size_t end = table.find('\n'); end != std::string::npos; end = table.find('\n', end + 1)) {
    SCOPED_TRACE(end);
    spit(scratch / "out/shards.tsv", table.substr(0, end + 1) + table.substr(end + 1, 30));
    const ShardTable left(table.substr(0, end + 1), "t");
    for (std::size_t i = 0; whole.contains(fmt::format("shard-{:05}.bin", i)); ++i) {
      const std::string& bytes = whole.at(fmt::format("shard-{:05}.bin", i));
      const std::int64_t kept = i < left.shard_bytes().size() ? left.shard_bytes()[i] : 0;
      if (kept > 0 || i == 0)
        spit(shard_path(scratch / "out", static_cast<std::int32_t>(i)),
             bytes.substr(0, static_cast<std::size_t>(kept) + 1000));
      else
        fs::remove(shard_path(scratch / "out", static_cast<std::int32_t>(i)));
    }
    spit(scratch / "out/video-00000003.kinema-part-4711", "half");
    const ShardReport report = done(scratch, to(scratch));
    EXPECT_EQ(report.written + report.finished_before, 5u);
    EXPECT_TRUE(contents(scratch / "out") == whole);
  }
  EXPECT_EQ(done(scratch, to(scratch)).finished_before, 5u);
  EXPECT_TRUE(contents(scratch / "out") == whole) << "nothing to do";
}

TEST(shard_files, refuses_other_settings_another_place_and_shards_that_lost_bytes) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  ShardRun run = to(scratch);
  run.options.gop = 6;
  EXPECT_THAT(error_of([&] { done(scratch, run); }), HasSubstr("made with other settings"));
  run = to(scratch);
  run.root = "/elsewhere";
  EXPECT_THAT(error_of([&] { done(scratch, run); }),
              HasSubstr("made from another place: expected videos of"));
  fs::resize_file(scratch / "out/shard-00000.bin", 100);
  EXPECT_THAT(error_of([&] { done(scratch, to(scratch)); }), HasSubstr("lost bytes"));
  EXPECT_THAT(error_of([&] { ShardSet(scratch / "out", {}); }), HasSubstr("too short"));
}

TEST(shard_files, a_changed_source_is_written_again) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  make_clip(scratch / "in/run/b.mp4", {.frames = 9, .first_number = 7});
  EXPECT_THAT(error_of([&] { ShardSet(scratch / "out", {}).check(*items_of(scratch, "abc")); }),
              AllOf(StartsWith(scratch / "in/run/b.mp4"), HasSubstr("changed since")));
  const ShardReport report = done(scratch, to(scratch));
  EXPECT_EQ(report.written, 1u);
  EXPECT_EQ(report.finished_before, 4u);
  const ShardSet set(scratch / "out", {});
  set.check(*items_of(scratch, "abcde"));
  EXPECT_EQ(set.open(scratch / "in/run/b.mp4", {}).info().frame_count, 9);
}

TEST(shard_set, delivers_every_frame_in_place_of_the_original_which_may_be_gone) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  const auto items = items_of(scratch, "abcde");
  std::vector<std::vector<int>> before;
  for (const Item& item : items->items) before.push_back(numbers_in(*open_source(item.sources[0], {})));
  fs::rename(scratch / "in", scratch / "gone");
  const ShardSet set(scratch / "out", {});
  set.check(*items);
  for (std::size_t i = 0; i < items->items.size(); ++i)
    EXPECT_EQ(numbers_in(*open_source(items->items[i].sources[0], {}, &set)), before[i]);
}

TEST(shard_set, a_data_set_that_moved_is_found_below_its_new_root) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  fs::rename(scratch / "in", scratch / "moved");
  EXPECT_EQ(ShardSet(scratch / "out", {}).find(scratch / "moved/run/a.mp4"), nullptr);
  const ShardSet set(scratch / "out", scratch / "moved");
  EXPECT_EQ(set.open(scratch / "moved/run/a.mp4", {}).info().frame_count, 20);
  EXPECT_EQ(set.find(scratch / "moved/../other/a.mp4"), nullptr);
}

TEST(shard_set, names_every_video_that_is_not_there) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  const ShardSet set(scratch / "out", {});
  EXPECT_THAT(
      error_of([&] { set.check(*items_of(scratch, "axby")); }),
      AllOf(HasSubstr("in/run/x.mp4: not in the shards"), HasSubstr("in/run/y.mp4: not in the shards"),
            HasSubstr("kinema data shard"), testing::Not(HasSubstr("run/a.mp4"))));
  EXPECT_THAT(error_of([&] { ShardSet(scratch / "in", {}); }),
              HasSubstr("no shards: expected a folder with"));
}

TEST(shard_set, another_rate_forbids_parts_by_frame_number) {
  const Scratch scratch;
  fill(scratch);
  ShardRun run = to(scratch);
  run.options.fps = 12.5;
  done(scratch, run);
  const ShardSet set(scratch / "out", {});
  const auto items = items_of(scratch, "ab");
  set.check(*items);
  EXPECT_EQ(set.open(scratch / "in/run/a.mp4", {}).info().frame_count, 10);
  items->items[1].span = {Span::Unit::seconds, 0, 0.5};
  set.check(*items);
  items->items[1].span = {Span::Unit::frames, 0, 5};
  EXPECT_THAT(error_of([&] { set.check(*items); }),
              AllOf(HasSubstr("a part by frame number"), HasSubstr("12.5 frames a second")));
}

TEST(shard_set, a_flipped_byte_and_a_source_that_was_no_video_are_bad_videos_by_name) {
  const Scratch scratch;
  fill(scratch);
  done(scratch, to(scratch));
  const ShardPlace place = ShardSet(scratch / "out", {}).find(scratch / "in/run/c.mp4")->place;
  const std::string shard = shard_path(scratch / "out", place.shard);
  std::string bytes = slurp(shard);
  bytes[static_cast<std::size_t>(place.offset + place.bytes / 2)] ^= 1;
  spit(shard, bytes);
  const ShardSet set(scratch / "out", {});
  EXPECT_THAT(error_of([&] { set.open(scratch / "in/run/c.mp4", {}); }),
              AllOf(StartsWith(scratch / "in/run/c.mp4"), HasSubstr("damaged in"), HasSubstr("checksum")));
  EXPECT_THAT(error_of([&] { set.open(scratch / "in/bad.avi", {}); }), HasSubstr("bad.avi: not a video"));
  set.open(scratch / "in/run/b.mp4", {});
  const CheckReport report = check_shards(set, {});
  EXPECT_EQ(report.files.size(), 6u);
  EXPECT_EQ(report.usable(), 4u);
  EXPECT_THAT(report.files[3].found.reason, StartsWith("damaged in"));
}

}  // namespace
}  // namespace kinema::data
