// 10,000 random (file, frame) pairs against linear decodes, over files made here and, where KINEMA_REAL_DATA
// names some, real ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "framework/media/video.h"
#include "kinema/error.h"
#include "tests/unit/media/exactness.h"
#include "tests/unit/media/video_kinds.h"

namespace kinema::media {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPairs = 10'000;

// Whole frames up to VGA; larger ones are reduced, which still touches pixels everywhere.
Geometry geometry_for(Size size) {
  Geometry geometry = Geometry::whole(size);
  if (size.width * size.height > 640 * 480)
    geometry.resize({std::min(size.width, 400), std::min(size.height, 300)});
  return geometry;
}

std::vector<std::string> made_files(const test::Folder& folder) {
  std::vector<std::string> paths;
  for (const test::Kind& kind : test::kinds()) {
    if (!has_encoder(kind.spec.writer.codec)) continue;
    test::ClipSpec spec = kind.spec;
    spec.frames = spec.ticks.empty() ? 120 : spec.frames;
    paths.push_back(folder / kind.file);
    test::make_clip(paths.back(), spec);
  }
  return paths;
}

// Those that can be opened at all; others are refused with an error, which other tests look at.
std::vector<std::string> real_files() {
  std::vector<std::string> paths;
  const char* root = std::getenv("KINEMA_REAL_DATA");
  if (root == nullptr || *root == '\0') return paths;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / "videos")) {
    if (!entry.is_regular_file()) continue;
    try {
      Video::open(entry.path().string());
      paths.push_back(entry.path().string());
    } catch (const Error&) {
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::map<std::int64_t, std::vector<std::uint8_t>> linear_frames(const std::string& path,
                                                                const VideoInfo& info,
                                                                const Geometry& geometry,
                                                                const std::vector<std::int64_t>& wanted) {
  std::map<std::int64_t, std::vector<std::uint8_t>> pictures;
  for (const std::int64_t frame : wanted) pictures[frame] = {};
  Converter converter;
  test::linear_decode(path, [&](std::int64_t number, const AVFrame& frame) {
    const auto found = pictures.find(number);
    if (found == pictures.end()) return;
    found->second.resize(test::rgb_bytes(geometry.output));
    converter.convert(frame, info.orientation, info.size, geometry, found->second.data());
  });
  return pictures;
}

// How many of `pairs` random frames of a file differ. A few at a time, in any order, as clips are read.
int different_frames(const std::string& path, std::size_t pairs, unsigned seed) {
  std::mt19937 random(seed);
  Video video = Video::open(path);
  const Geometry geometry = geometry_for(video.info().size);
  std::vector<std::int64_t> frames(pairs);
  for (std::int64_t& frame : frames)
    frame = std::uniform_int_distribution<std::int64_t>(0, video.info().frame_count - 1)(random);
  const auto expected = linear_frames(path, video.info(), geometry, frames);
  const std::size_t bytes = test::rgb_bytes(geometry.output);
  int different = 0;
  for (std::size_t begin = 0; begin < frames.size();) {
    const std::size_t count = std::min<std::size_t>(1 + random() % 8, frames.size() - begin);
    const std::span asked = std::span(frames).subspan(begin, count);
    std::vector<std::uint8_t> rgb(bytes * count);
    video.read(asked, geometry, rgb.data());
    for (std::size_t i = 0; i < count; ++i) {
      const auto& picture = expected.at(asked[i]);
      different +=
          picture.size() != bytes ||
          !std::equal(picture.begin(), picture.end(), rgb.begin() + static_cast<std::ptrdiff_t>(i * bytes));
    }
    begin += count;
  }
  return different;
}

TEST(random_access, ten_thousand_frames_are_those_of_a_linear_decode) {
  const test::Folder folder;
  std::vector<std::string> paths = made_files(folder);
  const std::size_t made = paths.size();
  for (std::string& path : real_files()) paths.push_back(std::move(path));
  ASSERT_FALSE(paths.empty());
  std::size_t pairs = 0;
  int different = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::size_t share = kPairs * (i + 1) / paths.size() - kPairs * i / paths.size();
    const int wrong = different_frames(paths[i], share, static_cast<unsigned>(i));
    EXPECT_EQ(wrong, 0) << paths[i];
    different += wrong;
    pairs += share;
  }
  EXPECT_EQ(pairs, kPairs);
  EXPECT_EQ(different, 0);
  std::cout << pairs << " (file, frame) pairs, " << made << " made and " << paths.size() - made
            << " real files, " << different << " differences\n";
}

}  // namespace
}  // namespace kinema::media
