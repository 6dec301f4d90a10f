#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "framework/media/video.h"
#include "tests/support/clips.h"
#include "tests/unit/media/linear_decode.h"

namespace kinema::test {

// A folder of its own for each test, removed afterwards.
class Folder {
 public:
  Folder() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() / ("kinema_media_" + std::to_string(::getpid()) + "_" +
                                                      info->test_suite_name() + "_" + info->name());
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::size_t rgb_bytes(Size size) {
  return 3 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

using Pictures = std::vector<std::vector<std::uint8_t>>;

// Every frame of a linear decode, whole, as the displayed RGB.
inline Pictures linear_pictures(const std::string& path, const media::VideoInfo& info) {
  Pictures pictures;
  media::Converter converter;
  const Geometry whole = Geometry::whole(info.size);
  linear_decode(path, [&](std::int64_t, const AVFrame& frame) {
    pictures.emplace_back(rgb_bytes(info.size));
    converter.convert(frame, info.orientation, info.size, whole, pictures.back().data());
  });
  return pictures;
}

// How many of the frames asked for (one by one in random order, then all in one call) differ from a linear
// decode.
inline int differences(media::Video& video, const std::string& path, unsigned seed = 1) {
  const media::VideoInfo info = video.info();
  const Pictures expected = linear_pictures(path, info);
  EXPECT_EQ(static_cast<std::size_t>(info.frame_count), expected.size()) << path;
  const Geometry whole = Geometry::whole(info.size);
  std::mt19937 random(seed);
  std::vector<std::int64_t> order;
  constexpr int kReads = 24;
  for (int i = 0; i < kReads; ++i) {
    order.push_back(std::uniform_int_distribution<std::int64_t>(0, info.frame_count - 1)(random));
  }
  order.push_back(info.frame_count - 1);
  int different = 0;
  std::vector<std::uint8_t> rgb(rgb_bytes(info.size));
  const auto same = [&](std::int64_t frame, const std::uint8_t* got) {
    const auto at = static_cast<std::size_t>(frame);
    return at < expected.size() && std::equal(expected[at].begin(), expected[at].end(), got);
  };
  for (const std::int64_t frame : order) {
    video.read(std::vector{frame}, whole, rgb.data());
    different += !same(frame, rgb.data());
  }
  std::vector<std::uint8_t> all(rgb.size() * order.size());
  video.read(order, whole, all.data());
  for (std::size_t i = 0; i < order.size(); ++i) different += !same(order[i], all.data() + i * rgb.size());
  return different;
}

}  // namespace kinema::test
