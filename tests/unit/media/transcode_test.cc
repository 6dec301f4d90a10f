#include "framework/media/transcode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "framework/media/examine.h"
#include "framework/media/video.h"
#include "kinema/error.h"
#include "tests/unit/media/clip_spec.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

using test::clip;
using test::Folder;
using testing::ElementsAre;

std::vector<double> times(int count, double fps, double begin = 0) {
  std::vector<double> list;
  for (int i = 0; i < count; ++i) list.push_back(begin + i / fps);
  return list;
}

TEST(transcode, the_nearest_frame_is_shown_at_each_tick_of_the_new_rate) {
  EXPECT_THAT(frames_at_rate(times(8, 30, 2), 8 / 30.0, 15), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(frames_at_rate(times(6, 30), 6 / 30.0, 20), ElementsAre(0, 1, 3, 4)) << "1.5: the earlier one";
  EXPECT_THAT(frames_at_rate(times(3, 10), 0.3, 20), ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(frames_at_rate(times(1, 25), 0.04, 1), ElementsAre(0));
  EXPECT_THAT(frames_at_rate(std::vector{0.0, 0.1, 0.9, 1.0}, 1.1, 5), ElementsAre(0, 1, 1, 2, 2, 3));
  EXPECT_THROW(frames_at_rate(times(3, 10), 1e12, 20), Error);
}

TEST(transcode, sides_are_even_and_never_enlarged) {
  EXPECT_EQ(transcoded_size({1920, 1080}, 256), (Size{456, 256}));
  EXPECT_EQ(transcoded_size({1080, 1920}, 256), (Size{256, 456}));
  EXPECT_EQ(transcoded_size({180, 144}, 256), (Size{180, 144}));
  EXPECT_EQ(transcoded_size({161, 121}, {}), (Size{162, 122}));
  EXPECT_EQ(transcoded_size({1, 1}, {}), (Size{2, 2}));
}

std::vector<int> numbers_in(const std::string& path) {
  Video video = Video::open(path);
  const Size size = video.info().size;
  std::vector<std::uint8_t> rgb(test::rgb_bytes(size));
  std::vector<int> numbers;
  for (std::int64_t frame = 0; frame < video.info().frame_count; ++frame) {
    video.read(std::vector{frame}, Geometry::whole(size), rgb.data());
    numbers.push_back(test::frame_number_of(rgb.data(), size));
  }
  return numbers;
}

TEST(transcode, writes_the_chosen_frames_at_the_rate_the_side_and_the_distance_of_key_frames_asked_for) {
  const Folder folder;
  test::ClipSpec spec = clip("libx264", 2);
  spec.size = {160, 120};
  spec.fps = 30;
  test::make_clip(folder / "a.mkv", spec);
  transcode(folder / "a.mkv", folder / "b.avi", {.fps = 15, .short_side = 60, .gop = 6});
  const Examination found = examine(folder / "b.avi", Depth::everything);
  EXPECT_THAT(found.faults, testing::IsEmpty());
  EXPECT_EQ(found.info.size, (Size{80, 60}));
  EXPECT_NEAR(found.info.fps, 15, 1e-6);
  EXPECT_EQ(found.info.frame_count, 24);
  EXPECT_THAT(found.info.container, testing::StartsWith("mov")) << "MP4 inside, whatever the name";
  std::vector<int> expected;
  for (int k = 0; k < 24; ++k) expected.push_back(2 * k);
  EXPECT_EQ(numbers_in(folder / "b.avi"), expected);
  const Video video = Video::open(folder / "b.avi");
  ASSERT_EQ(video.index().entries.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(video.index().entries[i].frame, 6 * i);
    EXPECT_FALSE(video.index().entries[i].open);
  }
}

TEST(transcode, is_the_same_every_time_and_keeps_every_frame_without_a_rate) {
  const Folder folder;
  test::ClipSpec spec = clip("mpeg4", 0);
  spec.writer.rotation_degrees = 90;
  test::make_clip(folder / "a.mov", spec);
  transcode(folder / "a.mov", folder / "b.mp4", {});
  transcode(folder / "a.mov", folder / "c.mp4", {});
  EXPECT_EQ(test::bytes_of(folder / "b.mp4"), test::bytes_of(folder / "c.mp4"));
  const VideoInfo info = Video::open(folder / "b.mp4").info();
  EXPECT_EQ(info.frame_count, 48);
  EXPECT_EQ(info.size, (Size{48, 64}));
  EXPECT_EQ(info.rotation_degrees, 0) << "upright";
}

TEST(transcode, pixels_stay_close_to_those_that_training_saw) {
  const Folder folder;
  test::make_clip(folder / "a.mp4", clip("libx264", 0));
  transcode(folder / "a.mp4", folder / "b.mp4", {.quality = 5});
  Video before = Video::open(folder / "a.mp4"), after = Video::open(folder / "b.mp4");
  const std::vector<std::int64_t> frames = {0, 17, 47};
  const Geometry whole = Geometry::whole(before.info().size);
  std::vector<std::uint8_t> a(3 * test::rgb_bytes(before.info().size)), b(a.size());
  before.read(frames, whole, a.data());
  after.read(frames, whole, b.data());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  EXPECT_LT(sum / static_cast<double>(a.size()), 3);
}

TEST(transcode, a_tiny_video_and_a_bad_one_do_not_stop_it) {
  const Folder folder;
  test::ClipSpec spec = clip("ffv1", 0, {}, {}, "bgr0");
  spec.size = {1, 1};
  spec.frames = 1;
  test::make_clip(folder / "a.mkv", spec);
  transcode(folder / "a.mkv", folder / "b.mp4", {.fps = 15, .short_side = 256});
  EXPECT_EQ(Video::open(folder / "b.mp4").info().size, (Size{2, 2}));
  test::write_bytes(folder / "c.mp4", "noise");
  EXPECT_THROW(transcode(folder / "c.mp4", folder / "d.mp4", {}), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "d.mp4"));
}

}  // namespace
}  // namespace kinema::media
