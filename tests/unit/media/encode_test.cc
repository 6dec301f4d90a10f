#include "framework/media/encode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/error.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

TEST(encode, writes_the_same_bytes_for_the_same_frames) {
  const test::Folder folder;
  test::make_clip(folder / "a.mp4");
  test::make_clip(folder / "b.mp4");
  EXPECT_EQ(test::bytes_of(folder / "a.mp4"), test::bytes_of(folder / "b.mp4"));
}

TEST(encode, falls_back_to_mpeg4_when_asked_to) {
  const test::Folder folder;
  test::ClipSpec spec;
  spec.writer.codec = "mpeg4";
  spec.writer.quality = 3;
  test::make_clip(folder / "a.mp4", spec);
  EXPECT_EQ(Video::open(folder / "a.mp4").info().codec, "mpeg4");
}

TEST(encode, names_an_unknown_encoder) {
  const test::Folder folder;
  test::ClipSpec spec;
  spec.writer.codec = "h999";
  try {
    test::make_clip(folder / "a.mp4", spec);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::run);
    EXPECT_EQ(error.problems().at(0).what, "no encoder: expected one of FFmpeg's, got h999");
  }
}

TEST(encode, names_a_folder_that_is_not_there) {
  const test::Folder folder;
  try {
    test::make_clip(folder / "none/a.mp4");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.problems().at(0).what, testing::StartsWith("cannot write"));
  }
}

TEST(encode, an_unfinished_clip_leaves_no_file) {
  const test::Folder folder;
  {
    VideoWriter writer(folder / "a.mp4", {64, 48}, 25);
    writer.write(test::numbered_frame(0, {64, 48}).data());
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a.mp4"));
}

TEST(encode, png_holds_the_very_pixels) {
  const test::Folder folder;
  const Size size{37, 23};
  const auto rgb = test::numbered_frame(0x5a5a, size);
  write_png(folder / "a.png", rgb.data(), size);
  std::vector<std::uint8_t> got(rgb.size());
  test::linear_decode(folder / "a.png", [&](std::int64_t, const AVFrame& frame) {
    Converter().convert(frame, {}, size, Geometry::whole(size), got.data());
  });
  EXPECT_EQ(got, rgb);
}

TEST(encode, numbered_frames_survive_coding_and_scaling) {
  const test::Folder folder;
  test::ClipSpec spec;
  spec.first_number = 0x1234;
  spec.frames = 3;
  spec.writer.quality = 35;
  test::make_clip(folder / "a.mp4", spec);
  Video video = Video::open(folder / "a.mp4");
  Geometry geometry = Geometry::whole(video.info().size);
  geometry.resize({40, 40});
  std::vector<std::uint8_t> rgb(test::rgb_bytes(geometry.output));
  video.read(std::vector<std::int64_t>{2}, geometry, rgb.data());
  EXPECT_EQ(test::frame_number_of(rgb.data(), geometry.output), 0x1236);
}

}  // namespace
}  // namespace kinema::media
