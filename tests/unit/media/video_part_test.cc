#include "framework/media/video_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "framework/media/examine.h"
#include "framework/media/video.h"
#include "kinema/error.h"
#include "tests/unit/media/clip_spec.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

using test::clip;
using test::Folder;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::uint8_t> all_frames(Video video) {
  const std::int64_t count = video.info().frame_count;
  std::vector<std::int64_t> frames;
  for (std::int64_t i = 0; i < count; ++i) frames.push_back(i * 7 % count);
  std::vector<std::uint8_t> rgb(frames.size() * test::rgb_bytes(video.info().size));
  const ClipReport report = video.read(frames, Geometry::whole(video.info().size), rgb.data());
  EXPECT_EQ(report.errors, 0) << report.first_message;
  EXPECT_FALSE(report.reindexed);
  return rgb;
}

std::string error_of(const VideoPart& part) {
  try {
    Video::open(part, nullptr);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// Several videos one behind the other, and where each of them is.
struct Row {
  std::string path;
  std::vector<std::string> alone;
  std::vector<VideoPart> parts;
  explicit Row(const Folder& folder) : path(folder / "row.bin") {
    std::ofstream row(path, std::ios::binary);
    std::int64_t at = 0;
    for (const char* name : {"a.mp4", "b.mkv", "c.avi", "d.mp4"}) {
      test::ClipSpec spec = clip(std::string(name).ends_with("avi") ? "mpeg4" : "libx264", 0);
      spec.writer.b_frames = *name == 'd' ? 3 : 0;
      spec.first_number = *name;
      alone.push_back(folder / name);
      make_clip(alone.back(), spec);
      const std::string bytes = text_of(alone.back());
      row << bytes;
      parts.push_back({path, at, static_cast<std::int64_t>(bytes.size()), name});
      at += static_cast<std::int64_t>(bytes.size());
    }
  }
};

TEST(video_part, delivers_the_frames_of_the_file_that_it_is_a_copy_of) {
  const Folder folder;
  const Row row(folder);
  for (std::size_t i = 0; i < row.parts.size(); ++i) {
    SCOPED_TRACE(row.parts[i].name);
    EXPECT_EQ(all_frames(Video::open(row.parts[i], nullptr)), all_frames(Video::open(row.alone[i])));
    EXPECT_EQ(examine(row.parts[i], Depth::everything).info.frame_count, 48);
  }
  EXPECT_NE(key_of(row.parts[0]), key_of(row.parts[1])) << "two videos of one file in a cache";
}

TEST(video_part, nothing_behind_its_end_is_read) {
  const Folder folder;
  const Row row(folder);
  VideoPart part = row.parts[0];
  part.bytes /= 2;  // the file goes on, the part does not
  EXPECT_EQ(text_of(row.path).substr(0, 100), text_of(row.alone[0]).substr(0, 100));
  std::ofstream(folder / "half.mp4", std::ios::binary)
      << text_of(row.alone[0]).substr(0, static_cast<std::size_t>(part.bytes));
  const Examination half = examine(folder / "half.mp4", Depth::everything),
                    found = examine(part, Depth::everything);
  EXPECT_EQ(found.usable, half.usable);
  EXPECT_EQ(found.info.frame_count, half.info.frame_count);
}

TEST(video_part, is_named_and_refused_when_it_lies_outside_of_the_file) {
  const Folder folder;
  const Row row(folder);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(row.path));
  for (const auto& [offset, bytes] : {std::pair{size, std::int64_t{1}}, std::pair{std::int64_t{0}, size + 1},
                                      std::pair{std::int64_t{-1}, std::int64_t{5}},
                                      std::pair{std::int64_t{1} << 62, std::int64_t{1} << 62}})
    EXPECT_THAT(error_of({row.path, offset, bytes, "run/a.mp4"}),
                testing::StartsWith("run/a.mp4: beyond the file: expected a part of"));
  EXPECT_THAT(error_of({row.path, 1, 100, "run/a.mp4"}), testing::StartsWith("run/a.mp4: "));
}

}  // namespace
}  // namespace kinema::media
