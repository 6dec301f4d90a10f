#include "framework/media/video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kinema/error.h"
#include "tests/unit/media/clip_spec.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

using test::bytes_of;
using test::clip;
using test::ClipSpec;
using test::Folder;
using test::write_bytes;

// The numbers that the frames show.
std::vector<int> numbers(Video& video, const std::vector<std::int64_t>& frames) {
  const Size size = video.info().size;
  std::vector<std::uint8_t> rgb(test::rgb_bytes(size) * frames.size());
  video.read(frames, Geometry::whole(size), rgb.data());
  std::vector<int> shown;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    shown.push_back(test::frame_number_of(rgb.data() + i * test::rgb_bytes(size), size));
  }
  return shown;
}

TEST(video, frames_show_the_numbers_they_were_asked_by_in_any_order_with_repeats) {
  const Folder folder;
  for (const char* file : {"a.mp4", "a.mkv", "a.avi", "a.mpg"}) {
    const std::string path = folder / file;
    ClipSpec spec = clip(std::string(file) == "a.mpg" ? "mpeg2video" : "libx264", 2);
    spec.frames = 60;
    test::make_clip(path, spec);
    Video video = Video::open(path);
    ASSERT_EQ(video.info().frame_count, 60) << file;
    EXPECT_THAT(numbers(video, {59, 0, 31, 31, 7, 30, 58, 0}),
                testing::ElementsAre(59, 0, 31, 31, 7, 30, 58, 0));
    EXPECT_THAT(numbers(video, {12}), testing::ElementsAre(12));
  }
}

TEST(video, leaving_out_unwanted_frames_saves_work_and_changes_nothing) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  ClipSpec spec = clip("libx264", 3, {{"x264-params", "b-pyramid=none:b-adapt=0:scenecut=0"}});
  spec.writer.gop = 48;
  test::make_clip(path, spec);
  Limits everything;
  everything.skip_unwanted = false;
  Video lean = Video::open(path), full = Video::open(path, everything);
  const std::vector<std::int64_t> frames = {3, 14, 15, 26, 39, 47};
  const Geometry whole = Geometry::whole(lean.info().size);
  std::vector<std::uint8_t> a(frames.size() * test::rgb_bytes(lean.info().size)), b(a.size());
  const ClipReport lean_report = lean.read(frames, whole, a.data()),
                   full_report = full.read(frames, whole, b.data());
  EXPECT_EQ(a, b);
  EXPECT_EQ(full_report.decoded_frames, 48);
  EXPECT_LT(lean_report.decoded_frames, 30);
  EXPECT_FALSE(lean_report.reindexed);
  // A frame that was left out can still be asked for.
  EXPECT_THAT(numbers(lean, {46, 45, 44}), testing::ElementsAre(46, 45, 44));
}

TEST(video, decodes_from_the_right_key_frame_only) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  ClipSpec spec = clip("libx264", 0);
  spec.frames = 200;
  spec.writer.gop = 20;
  test::make_clip(path, spec);
  Video video = Video::open(path);
  std::vector<std::uint8_t> rgb(test::rgb_bytes(video.info().size));
  const ClipReport report =
      video.read(std::vector<std::int64_t>{165}, Geometry::whole(video.info().size), rgb.data());
  EXPECT_LE(report.decoded_frames, 10);
  EXPECT_EQ(report.seeks, 1);
  EXPECT_EQ(report.errors, 0);
}

TEST(video, edit_list_that_cuts_the_start_moves_the_numbers) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0, {}, {{"video_track_timescale", "25"}}));
  std::string bytes = bytes_of(path);
  const std::size_t at = bytes.find("elst");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 4 + 4 + 4 + 4 + 3] =
      4;  // media time 4, two after a key frame: behind version, count and duration
  write_bytes(path, bytes);
  Video video = Video::open(path);
  EXPECT_TRUE(video.index().decoded);
  EXPECT_EQ(test::differences(video, path), 0);
  EXPECT_THAT(numbers(video, {10, 0}), testing::ElementsAre(14, 4));
}

TEST(video, header_that_promises_more_frames_than_there_are_is_not_believed) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0, {}, {{"movflags", "faststart"}}));
  const std::string bytes = bytes_of(path);
  write_bytes(path, bytes.substr(0, bytes.size() * 7 / 10));
  Video video = Video::open(path);
  EXPECT_EQ(video.info().header_frames, 48);
  EXPECT_LT(video.info().frame_count, 48);
  EXPECT_TRUE(video.index().decoded);
  EXPECT_EQ(test::differences(video, path), 0);
}

TEST(video, frames_after_a_size_change_are_scaled_to_the_first_size) {
  const Folder folder;
  ClipSpec small = clip("libx264", 0), large = clip("libx264", 0);
  small.frames = large.frames = 12;
  large.size = {128, 96};
  large.first_number = 12;
  test::make_clip(folder / "small.h264", small);
  test::make_clip(folder / "large.h264", large);
  const std::string path = folder / "both.h264";
  write_bytes(path, bytes_of(folder / "small.h264") + bytes_of(folder / "large.h264"));
  Video video = Video::open(path);
  ASSERT_EQ(video.info().frame_count, 24);
  EXPECT_EQ(video.info().size, (Size{64, 48}));
  EXPECT_THAT(numbers(video, {20, 3, 23, 12}), testing::ElementsAre(20, 3, 23, 12));
  EXPECT_EQ(test::differences(video, path), 0);
}

TEST(video, damage_is_counted_and_frames_stay_those_of_a_linear_decode) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  ClipSpec spec = clip("libx264", 2);
  spec.size = {160, 120};
  test::make_clip(path, spec);
  std::string bytes = bytes_of(path);
  const std::size_t data = bytes.find("mdat");
  ASSERT_NE(data, std::string::npos);
  for (std::size_t i = bytes.size() / 3; i < bytes.size() / 3 + 60; ++i)
    bytes[i] = static_cast<char>(bytes[i] ^ 0x5a);
  write_bytes(path, bytes);
  Video video = Video::open(path);
  const Geometry whole = Geometry::whole(video.info().size);
  std::vector<std::int64_t> all(static_cast<std::size_t>(video.info().frame_count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  std::vector<std::uint8_t> rgb(all.size() * test::rgb_bytes(video.info().size));
  const ClipReport report = video.read(all, whole, rgb.data());
  EXPECT_GT(report.errors + report.corrupt_frames, 0);
  EXPECT_FALSE(report.first_message.empty());
  EXPECT_TRUE(video.index().decoded);
  EXPECT_EQ(test::differences(video, path), 0);
}

TEST(video, damage_is_reported_whatever_was_read_before) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  ClipSpec spec = clip("libx264", 0, {}, {}, "yuv420p");
  spec.size = {160, 120};
  spec.writer.gop = 48;
  test::make_clip(path, spec);
  std::string bytes = bytes_of(path);
  const std::size_t middle = bytes.find("mdat") + (bytes.find("moov") - bytes.find("mdat")) / 2;
  for (std::size_t i = middle; i < middle + 60; ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x5a);
  write_bytes(path, bytes);
  const Geometry whole = Geometry::whole(spec.size);
  std::vector<std::uint8_t> rgb(test::rgb_bytes(spec.size));
  const auto damage = [&](Video& video, std::int64_t frame) {
    const ClipReport report = video.read(std::vector{frame}, whole, rgb.data());
    EXPECT_EQ(report.first_message.empty(), report.errors == 0);
    return report.errors + report.corrupt_frames;
  };
  Video steps = Video::open(path);
  const std::int64_t last = steps.info().frame_count - 1;
  std::vector<std::int64_t> one_by_one, twice, alone;
  for (std::int64_t k = 0; k <= last; ++k) {
    one_by_one.push_back(damage(steps, k));
    twice.push_back(damage(steps, k));
    Video fresh = Video::open(path);
    alone.push_back(damage(fresh, k));
  }
  EXPECT_GT(alone.back(), 0);
  EXPECT_EQ(one_by_one, alone);
  EXPECT_EQ(twice, alone);
}

TEST(video, times_follow_the_file) {
  const Folder folder;
  ClipSpec spec = clip("libx264", 2);
  spec.frames = 4;
  spec.ticks = {0, 1, 5, 6};
  test::make_clip(folder / "a.mp4", spec);
  const Video video = Video::open(folder / "a.mp4");
  EXPECT_NEAR(video.frame_time_s(2), 0.2, 1e-6);
  EXPECT_EQ(video.frame_at(0.19), 1);
  EXPECT_EQ(video.frame_at(0.2001), 2);
  EXPECT_EQ(video.frame_at(-3), 0);
  EXPECT_EQ(video.frame_at(100), 3);
}

TEST(video, info_tells_what_the_file_is) {
  const Folder folder;
  ClipSpec spec = clip("libx264", 0);
  spec.writer.rotation_degrees = 270;
  spec.writer.sample_aspect_width = 4;
  spec.writer.sample_aspect_height = 3;
  test::make_clip(folder / "a.mp4", spec);
  const VideoInfo info = Video::open(folder / "a.mp4").info();
  EXPECT_EQ(info.size, (Size{48, 64}));
  EXPECT_EQ(info.stored_size, (Size{64, 48}));
  EXPECT_EQ(info.rotation_degrees, 270);
  EXPECT_EQ(info.sample_aspect_width * 3, info.sample_aspect_height * 4);
  EXPECT_EQ(info.codec, "h264");
  EXPECT_EQ(info.pixel_format, "yuv420p");
  EXPECT_DOUBLE_EQ(info.fps, 25);
  EXPECT_NEAR(info.duration_s, 48 / 25.0, 1e-6);
}

TEST(video, many_threads_read_one_file) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 2));
  std::vector<std::thread> threads;
  std::vector<std::vector<int>> shown(4);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    threads.emplace_back([&, i] {
      Video video = Video::open(path);
      for (int k = 0; k < 8; ++k)
        shown[i].push_back(numbers(video, {(k * 13 + static_cast<int>(i)) % 48}).at(0));
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    for (int k = 0; k < 8; ++k)
      EXPECT_EQ(shown[i][static_cast<std::size_t>(k)], (k * 13 + static_cast<int>(i)) % 48);
  }
}

TEST(video, a_replaced_file_gets_a_new_index) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0));
  EXPECT_EQ(index_of(path)->info.frame_count, 48);
  EXPECT_EQ(index_of(path), index_of(path));
  ClipSpec shorter = clip("libx264", 0);
  shorter.frames = 10;
  test::make_clip(path, shorter);
  EXPECT_EQ(index_of(path)->info.frame_count, 10);
}

// ---- refusals: each with its own message ----

TEST(video, refuses_a_frame_number_past_the_end) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0));
  Video video = Video::open(path);
  std::vector<std::uint8_t> rgb(test::rgb_bytes(video.info().size));
  const auto read = [&](std::int64_t frame) {
    try {
      video.read(std::vector{frame}, Geometry::whole(video.info().size), rgb.data());
    } catch (const Error& error) {
      return error.problems().at(0).what;
    }
    return std::string();
  };
  EXPECT_EQ(read(48), "frame out of range: expected 0 to 47, got 48");
  EXPECT_EQ(read(-1), "frame out of range: expected 0 to 47, got -1");
  EXPECT_EQ(read(47), "");
}

}  // namespace
}  // namespace kinema::media
