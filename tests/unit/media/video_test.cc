#include "framework/media/video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "kinema/error.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

using test::bytes_of;
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

struct Kind {
  const char* file;
  ClipSpec spec;
  bool scanned;  // whether a scan of the packets is enough
  std::int64_t least_entries = 1;
};

ClipSpec clip(const char* codec, int b_frames, std::map<std::string, std::string> encoder = {},
              std::map<std::string, std::string> muxer = {}, const char* pixel_format = "") {
  ClipSpec spec;
  spec.frames = 48;
  spec.writer.codec = codec;
  spec.writer.b_frames = b_frames;
  spec.writer.encoder_options = std::move(encoder);
  spec.writer.muxer_options = std::move(muxer);
  spec.writer.pixel_format = pixel_format;
  return spec;
}

ClipSpec with_ticks(ClipSpec spec, std::int64_t first, std::int64_t (*step)(int)) {
  std::int64_t tick = first;
  for (int i = 0; i < spec.frames; ++i) {
    spec.ticks.push_back(tick);
    tick += step(i);
  }
  return spec;
}

ClipSpec turned(ClipSpec spec, int degrees) {
  spec.writer.rotation_degrees = degrees;
  return spec;
}

ClipSpec fast(ClipSpec spec, double fps) {
  spec.fps = fps;
  return spec;
}

ClipSpec sized(ClipSpec spec, Size size) {
  spec.size = size;
  return spec;
}

std::vector<Kind> kinds() {
  const std::map<std::string, std::string> fragmented = {
      {"movflags", "frag_keyframe+empty_moov+default_base_moof"}};
  const auto uneven = [](int i) -> std::int64_t { return 1 + i % 3; };
  const auto even = [](int) -> std::int64_t { return 1; };
  return {
      {"plain.mp4", clip("libx264", 0), true, 4},
      {"b_frames.mp4", clip("libx264", 3), true, 4},
      {"pyramid.mkv", clip("libx264", 7, {{"x264-params", "b-pyramid=normal:bframes=7:b-adapt=0"}}), true, 4},
      {"open_gop.mp4", clip("libx264", 2, {{"x264-params", "open-gop=1:b-adapt=0:scenecut=0"}}), true, 4},
      {"intra_refresh.mp4", clip("libx264", 0, {{"x264-params", "intra-refresh=1"}}), true, 1},
      {"interlaced.mp4", clip("libx264", 2, {{"x264-params", "interlaced=1"}}), true, 4},
      {"slices.mp4", clip("libx264", 2, {{"x264-params", "slices=3"}}), true, 4},
      {"no_times.avi", clip("libx264", 2), false, 4},
      {"stream.ts", clip("libx264", 2), false, 4},
      {"flash.flv", clip("libx264", 2), false, 4},
      {"raw.h264", clip("libx264", 2), false, 4},
      {"fragmented.mp4", clip("libx264", 2, {}, fragmented), true, 4},
      {"uneven.mp4", with_ticks(clip("libx264", 2), 0, uneven), true, 4},
      {"uneven.mkv", with_ticks(clip("libx264", 2), 0, uneven), true, 4},
      {"late_start.mp4", with_ticks(clip("libx264", 2), 250, even), true, 4},
      {"equal_times.mkv", fast(clip("libx264", 2), 3000), false, 1},
      {"turned.mp4", turned(clip("libx264", 2), 90), true, 4},
      {"ten_bits.mp4", clip("libx264", 2, {}, {}, "yuv420p10le"), true, 4},
      {"full_colour.mp4", clip("libx264", 2, {}, {}, "yuv444p"), true, 4},
      {"odd.mp4", sized(clip("libx264", 2, {}, {}, "yuv444p"), {67, 45}), true, 4},
      {"tiny.mp4", sized(clip("libx264", 0), {16, 16}), true, 4},
      {"closed.hevc.mp4", clip("libx265", 3, {{"x265-params", "open-gop=0:log-level=none"}}), true, 4},
      {"open.hevc.mp4",
       clip("libx265", 3, {{"x265-params", "open-gop=1:log-level=none:keyint=12:min-keyint=12:scenecut=0"}}),
       true, 4},
      {"raw.hevc", clip("libx265", 3, {{"x265-params", "log-level=none"}}), false, 4},
      {"part2.avi", clip("mpeg4", 0), true, 4},
      {"part2_b.avi", clip("mpeg4", 2), true, 4},
      {"part2_b.mp4", clip("mpeg4", 2), true, 4},
      {"part2.m4v", clip("mpeg4", 2), true, 4},
      {"vp8.webm", clip("libvpx", 0, {{"auto-alt-ref", "1"}, {"lag-in-frames", "10"}, {"b", "200000"}}), true,
       4},
      {"vp9.webm", clip("libvpx-vp9", 0, {{"auto-alt-ref", "1"}, {"lag-in-frames", "10"}, {"cpu-used", "8"}}),
       true, 4},
      {"program.mpg", clip("mpeg2video", 2), false, 3},
      {"mpeg1.mpg", clip("mpeg1video", 2), false, 3},
      {"mpeg2.mp4", clip("mpeg2video", 2), false, 3},
      {"windows.wmv", clip("wmv2", 0), false, 1},
      {"sorenson.flv", clip("flv", 0), false, 4},
      {"motion.avi", clip("mjpeg", 0, {}, {}, "yuvj420p"), true, 48},
      {"lossless.mkv", clip("ffv1", 0), false, 4},
      {"animation.gif", clip("gif", 0), false, 1},
  };
}

TEST(video, delivers_exactly_the_frames_of_a_linear_decode) {
  const Folder folder;
  for (const Kind& kind : kinds()) {
    if (!has_encoder(kind.spec.writer.codec)) continue;
    SCOPED_TRACE(kind.file);
    const std::string path = folder / kind.file;
    test::make_clip(path, kind.spec);
    Video video = Video::open(path);
    EXPECT_EQ(test::differences(video, path), 0);
    Video again = Video::open(path);  // with what the cache knows
    EXPECT_EQ(test::differences(again, path, 2), 0);
    EXPECT_EQ(again.index().frames.data(), video.index().frames.data()) << again.index().why_decoded;
    EXPECT_EQ(!video.index().decoded, kind.scanned) << video.index().why_decoded;
    EXPECT_GE(static_cast<std::int64_t>(video.index().entries.size()), kind.least_entries);
  }
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

std::string refusal(const std::string& path, const Limits& limits = {}) {
  try {
    Video::open(path, limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_EQ(error.problems().at(0).where, path);
    return error.problems().at(0).what;
  }
  return "no error";
}

TEST(video, refuses_a_missing_file) {
  EXPECT_EQ(refusal("/nowhere/a.mp4"), "no such file: expected a video, got nothing");
}

TEST(video, refuses_a_folder_and_a_pipe_without_waiting) {
  const Folder folder;
  EXPECT_EQ(refusal(folder / ""), "not a file: expected a video, got a folder");
  ASSERT_EQ(::mkfifo((folder / "pipe.mp4").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder / "pipe.mp4"),
            "not a regular file: expected a video, got a device, pipe or socket");
}

TEST(video, refuses_an_empty_file) {
  const Folder folder;
  write_bytes(folder / "a.mp4", "");
  EXPECT_EQ(refusal(folder / "a.mp4"), "empty file: expected a video, got 0 bytes");
}

TEST(video, refuses_what_is_no_video) {
  const Folder folder;
  write_bytes(folder / "a.mp4", std::string(5000, 'x'));
  EXPECT_THAT(refusal(folder / "a.mp4"), testing::StartsWith("not a video: expected a known container, got"));
}

TEST(video, refuses_playlists_and_lists_whatever_their_name) {
  const Folder folder;
  test::make_clip(folder / "real.mp4", clip("libx264", 0));
  test::make_clip(folder / "real.ts", clip("libx264", 0));
  const std::string hls =
      "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:2.0,\nreal.ts\n#EXT-X-ENDLIST\n";
  const std::map<std::string, std::string> lists = {
      {"hls.mp4", hls}, {"hls.m3u8", hls}, {"concat.mp4", "ffconcat version 1.0\nfile real.mp4\n"}};
  for (const auto& [name, text] : lists) {
    write_bytes(folder / name, text);
    EXPECT_THAT(refusal(folder / name), testing::AnyOf(testing::StartsWith("container not allowed:"),
                                                       testing::StartsWith("not a video:")));
  }
  EXPECT_EQ(refusal("http://127.0.0.1:9/a.mp4"), "no such file: expected a video, got nothing");
  EXPECT_EQ(refusal("concat:" + (folder / "real.ts")), "no such file: expected a video, got nothing");
}

TEST(video, refuses_a_file_without_a_video_stream) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0));
  std::string bytes = bytes_of(path);
  bytes.replace(bytes.find("vide", bytes.find("hdlr")), 4, "soun");
  write_bytes(path, bytes);
  EXPECT_EQ(refusal(path), "no video stream: expected one, got 1 stream(s) of sound, text or cover pictures");
}

TEST(video, refuses_a_codec_without_decoder) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0));
  std::string bytes = bytes_of(path);
  for (std::size_t at; (at = bytes.find("avc1")) != std::string::npos;) bytes.replace(at, 4, "vvc1");
  write_bytes(path, bytes);
  EXPECT_EQ(refusal(path), "unsupported codec: expected one that can be decoded here, got none (tag vvc1)");
}

TEST(video, refuses_frames_over_the_pixel_limit) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0));
  Limits limits;
  limits.max_pixels = 1000;
  EXPECT_EQ(refusal(path, limits), "frame too large: expected at most 1000 pixels, got 64 x 48");
}

TEST(video, refuses_a_stream_of_which_nothing_decodes) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0));
  std::string bytes = bytes_of(path);
  const std::size_t data = bytes.find("mdat") + 4, end = bytes.find("moov") - 4;
  for (std::size_t i = data; i < end; ++i) bytes[i] = static_cast<char>(0xff);
  write_bytes(path, bytes);
  EXPECT_THAT(refusal(path),
              testing::StartsWith("no decodable frame: expected at least one, got none from 48 packets"));
}

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

TEST(video, gives_up_at_the_time_limit) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0));
  Limits limits;
  limits.seconds_per_open = 0;
  EXPECT_EQ(refusal(path, limits),
            "took too long: expected to be read within the time limit of one file, got no end of it");
}

}  // namespace
}  // namespace kinema::media
