// What is done about each oddity that files have: one test a policy. docs/videos.md lists them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <regex>

#include "framework/media/video.h"
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

using Rgb = std::vector<std::uint8_t>;

Rgb frame(Video& video, std::int64_t number) {
  Rgb rgb(test::rgb_bytes(video.info().size));
  video.read(std::vector{number}, Geometry::whole(video.info().size), rgb.data());
  return rgb;
}

int shown_number(Video& video, std::int64_t number) {
  return test::frame_number_of(frame(video, number).data(), video.info().size);
}

std::size_t at(Size size, int x, int y) {
  return 3 *
         (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) + static_cast<std::size_t>(x));
}

// A video whose frames are all `rgb`.
void write_still(const std::string& path, const Rgb& rgb, Size size, const WriterOptions& options,
                 int frames = 3) {
  VideoWriter writer(path, size, 25, options);
  for (int i = 0; i < frames; ++i) writer.write(rgb.data());
  writer.finish();
}

int largest_difference(const Rgb& a, const Rgb& b) {
  int worst = a.size() == b.size() ? 0 : 256;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(fault_policies, a_rotated_video_is_delivered_upright) {
  const Folder folder;
  for (const int degrees : {90, 180, 270}) {
    ClipSpec spec = clip("libx264", 2);
    test::make_clip(folder / "stored.mp4", spec);
    spec.writer.rotation_degrees = degrees;
    test::make_clip(folder / "turned.mp4", spec);
    Video stored = Video::open(folder / "stored.mp4"), turned = Video::open(folder / "turned.mp4");
    const Size from = stored.info().size, to = turned.info().size;
    ASSERT_EQ(to, degrees == 180 ? from : (Size{from.height, from.width}));
    EXPECT_EQ(turned.info().rotation_degrees, degrees);
    const Rgb before = frame(stored, 37), after = frame(turned, 37);
    int different = 0;
    for (int y = 0; y < from.height; ++y) {
      for (int x = 0; x < from.width; ++x) {
        const int right = from.width - 1 - x, below = from.height - 1 - y;
        const auto [tx, ty] = degrees == 90    ? std::pair{below, x}
                              : degrees == 180 ? std::pair{right, below}
                                               : std::pair{y, right};
        // Turned pictures are converted by swscale, others by our own loops: within two levels of each other.
        for (std::size_t c = 0; c < 3; ++c)
          different += std::abs(before[at(from, x, y) + c] - after[at(to, tx, ty) + c]) > 2;
      }
    }
    EXPECT_EQ(different, 0) << degrees;
  }
}

TEST(fault_policies, pixels_that_are_not_square_are_delivered_as_stored) {
  const Folder folder;
  ClipSpec spec = clip("libx264", 0);
  spec.writer.sample_aspect_width = 4;
  spec.writer.sample_aspect_height = 3;
  test::make_clip(folder / "a.mp4", spec);
  Video video = Video::open(folder / "a.mp4");
  EXPECT_EQ(video.info().size, (Size{64, 48}));
  EXPECT_EQ(video.info().sample_aspect_width, 4);
  EXPECT_EQ(video.info().sample_aspect_height, 3);
  EXPECT_EQ(shown_number(video, 21), 21);
}

TEST(fault_policies, odd_sizes_are_delivered_to_the_last_row_and_column) {
  const Folder folder;
  const Size size{67, 45};
  struct Kind {
    const char *file, *codec, *pixels;
  };
  for (const Kind& kind : {Kind{"a.avi", "mpeg4", "yuv420p"}, Kind{"a.webm", "libvpx-vp9", "yuv420p"},
                           Kind{"a.mkv", "ffv1", "yuv420p"}, Kind{"a.mp4", "libx264", "yuv444p"}}) {
    if (!has_encoder(kind.codec)) continue;
    SCOPED_TRACE(kind.file);
    ClipSpec spec = clip(kind.codec, 0, {}, {}, kind.pixels);
    spec.size = size;
    spec.writer.quality = 2;
    test::make_clip(folder / kind.file, spec);
    Video video = Video::open(folder / kind.file);
    ASSERT_EQ(video.info().size, size);
    const Rgb got = frame(video, 0xa5 % 48), expected = test::numbered_frame(0xa5 % 48, size);
    int worst = 0;
    for (int y = 0; y < size.height; ++y)
      worst = std::max(worst, std::abs(got[at(size, 66, y)] - expected[at(size, 66, y)]));
    for (int x = 0; x < size.width; ++x)
      worst = std::max(worst, std::abs(got[at(size, x, 44)] - expected[at(size, x, 44)]));
    // Grey levels are 30 and 225: a wrong block, or a row that was never written, would be far off.
    EXPECT_LE(worst, 60);
    EXPECT_EQ(test::differences(video, folder / kind.file), 0);
  }
}

TEST(fault_policies, ten_bits_become_eight_by_rounding) {
  const Folder folder;
  const Size size{64, 48};
  Rgb ramp(test::rgb_bytes(size));
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (std::size_t c = 0; c < 3; ++c) ramp[at(size, x, y) + c] = static_cast<std::uint8_t>(4 * x);
  WriterOptions options;
  options.codec = "ffv1";
  options.pixel_format = "yuv420p10le";
  write_still(folder / "ten.mkv", ramp, size, options);
  Video video = Video::open(folder / "ten.mkv");
  EXPECT_EQ(video.info().pixel_format, "yuv420p10le");
  EXPECT_LE(largest_difference(frame(video, 1), ramp), 1);
}

TEST(fault_policies, full_and_limited_range_give_the_same_colours) {
  const Folder folder;
  const Size size{64, 48};
  Rgb bands(test::rgb_bytes(size));
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (std::size_t c = 0; c < 3; ++c)
        bands[at(size, x, y) + c] = static_cast<std::uint8_t>(x < 32 ? 0 : 255);
  for (const bool full : {false, true}) {
    WriterOptions options;
    options.codec = "libx264";
    options.quality = 1;
    options.full_range = full;
    options.pixel_format = "yuv420p";
    write_still(folder / "a.mp4", bands, size, options);
    Video video = Video::open(folder / "a.mp4");
    const Rgb got = frame(video, 1);
    EXPECT_LE(got[at(size, 4, 20)], 3) << full;
    EXPECT_GE(got[at(size, 60, 20)], 252) << full;
  }
}

TEST(fault_policies, interlaced_frames_stay_woven) {
  const Folder folder;
  const Size size{64, 64};
  Rgb combed(test::rgb_bytes(size));
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (std::size_t c = 0; c < 3; ++c)
        combed[at(size, x, y) + c] = static_cast<std::uint8_t>(y % 2 == 0 ? 60 : 180);
  WriterOptions options;
  options.codec = "libx264";
  options.quality = 1;
  options.encoder_options = {{"x264-params", "interlaced=1"}};
  write_still(folder / "a.mp4", combed, size, options);
  Video video = Video::open(folder / "a.mp4");
  EXPECT_TRUE(video.info().interlaced);
  EXPECT_EQ(video.info().frame_count, 3);
  EXPECT_LE(largest_difference(frame(video, 2), combed), 8);
}

TEST(fault_policies, without_times_frames_follow_each_other_at_the_rate) {
  const Folder folder;
  for (const char* file : {"a.h264", "a.avi"}) {
    ClipSpec spec = clip("libx264", 2);
    test::make_clip(folder / file, spec);
    Video video = Video::open(folder / file);
    ASSERT_EQ(video.info().frame_count, 48) << file;
    for (const std::int64_t k : {0, 1, 20, 47}) {
      EXPECT_NEAR(video.frame_time_s(k) - video.frame_time_s(0), static_cast<double>(k) / 25, 1e-6)
          << file << " " << k;
      EXPECT_EQ(shown_number(video, k), k) << file;
    }
  }
}

TEST(fault_policies, negative_times_count_from_the_start_of_the_file) {
  const Folder folder;
  const std::map<std::string, std::int64_t> files = {
      {"a.mkv", 48},   // times below 0 are not even told by the demuxer
      {"a.mp4", 38}};  // they are by an edit list, which cuts the frames away
  for (const auto& [file, count] : files) {
    ClipSpec spec = clip("libx264", 2, {}, {{"avoid_negative_ts", "disabled"}});
    for (int i = 0; i < spec.frames; ++i) spec.ticks.push_back(i - 10);
    const std::string path = folder / file;
    test::make_clip(path, spec);
    Video video = Video::open(path);
    EXPECT_EQ(video.info().frame_count, count) << file;
    EXPECT_EQ(test::differences(video, path), 0) << file;
    for (std::int64_t k = 0; k < count; ++k) {
      EXPECT_NEAR(video.frame_time_s(k), static_cast<double>(k) / 25, 0.002) << file << " " << k;
      EXPECT_EQ(video.frame_at(static_cast<double>(k) / 25 + 0.01), k) << file;
    }
    EXPECT_NEAR(video.info().duration_s, static_cast<double>(count) / 25, 0.002) << file;
  }
}

TEST(fault_policies, times_that_begin_anew_go_on_instead) {
  const Folder folder;
  test::make_clip(folder / "half.ts", clip("libx264", 0));
  const std::string path = folder / "both.ts";
  write_bytes(path, bytes_of(folder / "half.ts") + bytes_of(folder / "half.ts"));
  Video video = Video::open(path);
  ASSERT_EQ(video.info().frame_count, 96);
  for (std::int64_t k = 0; k < 96; ++k) {
    EXPECT_NEAR(video.frame_time_s(k), static_cast<double>(k) / 25, 1e-6);
    EXPECT_EQ(video.frame_at(static_cast<double>(k) / 25 + 0.01), k);
  }
  EXPECT_EQ(shown_number(video, 48 + 7), 7);
}

TEST(fault_policies, one_frame_is_a_video) {
  const Folder folder;
  struct Kind {
    const char *file, *codec;
  };
  for (const Kind& kind : {Kind{"a.mp4", "libx264"}, Kind{"a.mkv", "libx264"}, Kind{"a.avi", "mpeg4"},
                           Kind{"a.webm", "libvpx-vp9"}, Kind{"a.ts", "libx264"}, Kind{"a.h264", "libx264"},
                           Kind{"a.gif", "gif"}, Kind{"b.avi", "mjpeg"}}) {
    if (!has_encoder(kind.codec)) continue;
    SCOPED_TRACE(kind.file);
    ClipSpec spec = clip(kind.codec, 0);
    spec.frames = 1;
    spec.first_number = 9;
    if (std::string(kind.codec) == "mjpeg") spec.writer.pixel_format = "yuvj420p";
    test::make_clip(folder / kind.file, spec);
    Video video = Video::open(folder / kind.file);
    ASSERT_EQ(video.info().frame_count, 1);
    EXPECT_NEAR(video.info().duration_s, 1 / video.info().fps, 1e-9);
    EXPECT_EQ(shown_number(video, 0), 9);
    EXPECT_EQ(video.frame_at(100), 0);
  }
}

TEST(fault_policies, a_file_that_was_cut_off_delivers_the_frames_that_are_there) {
  const Folder folder;
  struct Kind {
    const char *file, *codec;
    std::map<std::string, std::string> muxer;
  };
  for (const Kind& kind :
       {Kind{"first.mp4", "libx264", {{"movflags", "faststart"}}}, Kind{"a.mkv", "libx264", {}},
        Kind{"a.avi", "mpeg4", {}}, Kind{"a.ts", "libx264", {}}, Kind{"a.webm", "libvpx-vp9", {}}}) {
    if (!has_encoder(kind.codec)) continue;
    SCOPED_TRACE(kind.file);
    test::make_clip(folder / kind.file, clip(kind.codec, 0, {}, kind.muxer));
    const std::string bytes = bytes_of(folder / kind.file), path = folder / (std::string("cut_") + kind.file);
    write_bytes(path, bytes.substr(0, bytes.size() * 6 / 10));
    Video video = Video::open(path);
    EXPECT_GT(video.info().frame_count, 5);
    EXPECT_LT(video.info().frame_count, 48);
    EXPECT_EQ(shown_number(video, 4), 4);
    EXPECT_EQ(test::differences(video, path), 0);
  }
  // The index of this one is at its end.
  test::make_clip(folder / "last.mp4", clip("libx264", 0));
  const std::string bytes = bytes_of(folder / "last.mp4");
  write_bytes(folder / "last.mp4", bytes.substr(0, bytes.size() * 6 / 10));
  EXPECT_THROW(Video::open(folder / "last.mp4"), Error);
}

std::string replaced(std::string bytes, const std::string& from, const std::string& to) {
  const std::size_t place = bytes.find(from);
  EXPECT_NE(place, std::string::npos);
  return place == std::string::npos ? bytes : bytes.replace(place, from.size(), to);
}

TEST(fault_policies, a_header_with_another_size_than_the_stream_is_not_believed) {
  using namespace std::string_literals;
  const Folder folder;
  test::make_clip(folder / "a.mp4", clip("libx264", 0));
  test::make_clip(folder / "a.avi", clip("mpeg4", 0));
  test::make_clip(folder / "a.mkv", clip("libx264", 0));
  const std::string mp4 = bytes_of(folder / "a.mp4"), avi = bytes_of(folder / "a.avi"),
                    mkv = bytes_of(folder / "a.mkv");
  const std::map<std::string, std::string> files = {
      // width and height of the sample entry
      {"wide.mp4", replaced(mp4, "\x00\x40\x00\x30\x00\x48"s, "\xff\xff\x00\x30\x00\x48"s)},
      {"other.mp4", replaced(mp4, "\x00\x40\x00\x30\x00\x48"s, "\x00\x50\x00\x40\x00\x48"s)},
      {"huge.mp4", replaced(mp4, "\x00\x40\x00\x30\x00\x48"s, "\xff\xff\xff\xff\x00\x48"s)},
      // of the bitmap header
      {"wide.avi", replaced(avi, "\x28\x00\x00\x00\x40\x00\x00\x00\x30\x00\x00\x00"s,
                            "\x28\x00\x00\x00\xff\xff\x00\x00\x30\x00\x00\x00"s)},
      // PixelWidth, PixelHeight
      {"other.mkv", replaced(mkv, "\xb0\x81\x40\xba\x81\x30"s, "\xb0\x81\x60\xba\x81\x70"s)},
  };
  for (const auto& [name, bytes] : files) {
    const std::string path = folder / name;
    write_bytes(path, bytes);
    try {
      Video video = Video::open(path);
      EXPECT_EQ(video.info().size, (Size{64, 48})) << name;
      EXPECT_EQ(shown_number(video, 30), 30) << name;
    } catch (const Error& error) {
      ADD_FAILURE() << name << ": " << error.what();
    }
  }
}

TEST(fault_policies, the_page_about_videos_names_tests_that_exist) {
  const std::filesystem::path root = std::filesystem::path(KINEMA_GOLDEN_DIR) / "../..";
  std::string sources;
  for (const auto& entry : std::filesystem::directory_iterator(root / "tests/unit/media"))
    sources += bytes_of(entry.path().string());
  const std::string page = bytes_of((root / "docs/videos.md").string());
  const std::regex name("`(?!loader)([a-z_]+)\\.([a-z_]{12,})`");
  int tests = 0;
  for (std::sregex_iterator found(page.begin(), page.end(), name); found != std::sregex_iterator();
       ++found, ++tests) {
    const std::string declared = "TEST(" + (*found)[1].str() + ", " + (*found)[2].str() + ")";
    std::string flat;  // as the formatter may break the line
    std::ranges::copy_if(sources, std::back_inserter(flat), [](char c) { return c != '\n'; });
    EXPECT_NE(flat.find(declared), std::string::npos) << declared;
  }
  EXPECT_GT(tests, 20);
}

}  // namespace
}  // namespace kinema::media
