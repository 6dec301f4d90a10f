// Over the real files that KINEMA_REAL_DATA names (a folder with videos/ and actions/, each with a
// probe.tsv). Filter: --gtest_filter=*real_corpus*
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "framework/media/video.h"
#include "kinema/error.h"
#include "tests/unit/media/linear_decode.h"

namespace kinema::media {
namespace {

namespace fs = std::filesystem;

using Row = std::map<std::string, std::string>;

std::vector<Row> read_table(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> names;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[names.at(i)] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

std::int64_t number(const Row& row, const std::string& column) {
  const auto found = row.find(column);
  return found == row.end() || found->second.empty() ? 0 : std::stoll(found->second);
}

std::string root() {
  const char* folder = std::getenv("KINEMA_REAL_DATA");
  return folder == nullptr ? "" : folder;
}

// Whole frames up to VGA; larger ones are reduced, which still touches pixels everywhere.
Geometry geometry_for(Size size) {
  Geometry geometry = Geometry::whole(size);
  if (size.width * size.height > 640 * 480)
    geometry.resize({std::min(size.width, 400), std::min(size.height, 300)});
  return geometry;
}

struct Sample {
  std::vector<std::int64_t> frames;  // in the order to ask for them
  std::map<std::int64_t, std::vector<std::uint8_t>> expected;
  std::int64_t count = 0;
};

Sample linear_sample(const std::string& path, const VideoInfo& info, unsigned seed) {
  Sample sample;
  std::mt19937 random(seed);
  constexpr int kFrames = 30;
  std::set<std::int64_t> chosen = {0, std::max<std::int64_t>(info.frame_count - 1, 0)};
  for (int i = 0; i < kFrames; ++i) {
    sample.frames.push_back(std::uniform_int_distribution<std::int64_t>(0, info.frame_count - 1)(random));
    chosen.insert(sample.frames.back());
  }
  sample.frames.push_back(info.frame_count - 1);
  sample.frames.push_back(0);
  Converter converter;
  const Geometry geometry = geometry_for(info.size);
  const auto bytes =
      static_cast<std::size_t>(geometry.output.width) * static_cast<std::size_t>(geometry.output.height) * 3;
  sample.count = test::linear_decode(path, [&](std::int64_t frame, const AVFrame& picture) {
    if (!chosen.contains(frame)) return;
    auto& rgb = sample.expected[frame];
    rgb.resize(bytes);
    converter.convert(picture, info.orientation, info.size, geometry, rgb.data());
  });
  return sample;
}

// Random access to about thirty frames equals the linear decode, byte for byte.
void compare(Video& video, const Sample& sample, const std::string& name) {
  const Geometry geometry = geometry_for(video.info().size);
  const std::size_t bytes =
      static_cast<std::size_t>(geometry.output.width) * static_cast<std::size_t>(geometry.output.height) * 3;
  // First one at a time, in random order; then all in one call, with repeats.
  std::vector<std::uint8_t> rgb(bytes);
  int different = 0;
  constexpr std::size_t kSingleReads = 8;
  for (std::size_t i = 0; i < std::min(kSingleReads, sample.frames.size()); ++i) {
    const std::int64_t frame = sample.frames[i];
    video.read(std::vector<std::int64_t>{frame}, geometry, rgb.data());
    const auto expected = sample.expected.find(frame);
    ASSERT_NE(expected, sample.expected.end()) << name;
    different += rgb != expected->second;
  }
  EXPECT_EQ(different, 0) << name << " one by one";
  different = 0;
  std::vector<std::uint8_t> all(bytes * sample.frames.size());
  video.read(sample.frames, geometry, all.data());
  for (std::size_t i = 0; i < sample.frames.size(); ++i) {
    different += !std::equal(all.begin() + static_cast<std::ptrdiff_t>(i * bytes),
                             all.begin() + static_cast<std::ptrdiff_t>((i + 1) * bytes),
                             sample.expected.at(sample.frames[i]).begin());
  }
  EXPECT_EQ(different, 0) << name << " all at once";
}

void check_file(const std::string& folder, const Row& row, unsigned seed) {
  const std::string name = row.at("file"), path = folder + "/" + name;
  const std::int64_t decoded = number(row, "frames_decoded");
  // The probe looked at the first video stream of this file, which has two; the best one is the other.
  const bool other_stream = name == "torchcodec/nasa_13013.mp4";
  if (decoded == 0) {
    try {
      Video::open(path);
      ADD_FAILURE() << name << ": expected an error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data) << name;
      EXPECT_EQ(error.problems().at(0).where, path);
    }
    return;
  }
  try {
    Video video = Video::open(path);
    const bool scanned = !video.index().decoded;
    if (!other_stream) {
      EXPECT_EQ(video.info().frame_count, decoded) << name;
    }
    const Sample sample = linear_sample(path, video.info(), seed);
    ASSERT_EQ(video.info().frame_count, sample.count) << name;
    if (seed % 2 == 0) {  // with what the cache knows, then
      video = Video::open(path);
    }
    compare(video, sample, name);
    const std::string& why = video.index().why_decoded;
    EXPECT_EQ(scanned, !video.index().decoded) << name << ": the scan had to be given up: " << why;
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

void check_table(const std::string& folder, std::size_t first, std::size_t step) {
  const auto rows = read_table(folder + "/probe.tsv");
  ASSERT_FALSE(rows.empty());
  for (std::size_t i = first; i < rows.size(); i += step) {
    if (fs::exists(folder + "/" + rows[i].at("file"))) check_file(folder, rows[i], static_cast<unsigned>(i));
  }
}

// A third of the odd files each, so that tests may run side by side.
class real_corpus : public testing::TestWithParam<std::size_t> {};

TEST_P(real_corpus, random_access_equals_the_linear_decode_of_every_odd_file) {
  if (root().empty()) GTEST_SKIP() << "KINEMA_REAL_DATA does not name a folder of real videos";
  check_table(root() + "/videos", GetParam(), 3);
}

TEST_P(real_corpus, random_access_equals_the_linear_decode_of_action_clips) {
  if (root().empty()) GTEST_SKIP() << "KINEMA_REAL_DATA does not name a folder of real videos";
  check_table(root() + "/actions", GetParam(), 15);
}

INSTANTIATE_TEST_SUITE_P(thirds, real_corpus, testing::Values(0, 1, 2));

}  // namespace
}  // namespace kinema::media
