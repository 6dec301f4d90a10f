#include "framework/media/grey_picture.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "framework/media/picture.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

std::string temporary(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / ("kinema_grey_" + name)).string();
}

std::vector<std::uint8_t> read_back(const std::string& path, Size size) {
  Picture picture = Picture::open(path);
  EXPECT_EQ(picture.size(), size);
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(size.width) * size.height * 3);
  picture.read(Geometry::whole(size), rgb.data());
  EXPECT_EQ(picture.report().errors, 0);
  return rgb;
}

TEST(grey_picture, every_level_of_a_png_comes_back_in_all_three_channels) {
  std::vector<std::uint8_t> grey(256);
  for (std::size_t i = 0; i < 256; ++i) grey[i] = static_cast<std::uint8_t>(i);
  write_grey(temporary("levels.png"), grey.data(), {16, 16}, PictureFormat::png);
  const auto rgb = read_back(temporary("levels.png"), {16, 16});
  for (std::size_t i = 0; i < rgb.size(); ++i) EXPECT_EQ(rgb[i], grey[i / 3]) << i;
}

TEST(grey_picture, a_jpeg_of_any_size_comes_back_within_a_few_levels_and_without_colour) {
  for (const Size size : {Size{1, 1}, Size{17, 9}, Size{64, 48}}) {
    std::vector<std::uint8_t> grey(static_cast<std::size_t>(size.width) * size.height);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        grey[static_cast<std::size_t>(y * size.width + x)] =
            static_cast<std::uint8_t>(127.5 + 120 * std::sin(0.15 * x) * std::cos(0.1 * y));
    write_grey(temporary("waves.jpg"), grey.data(), size, PictureFormat::jpeg);
    const auto rgb = read_back(temporary("waves.jpg"), size);
    for (std::size_t i = 0; i < rgb.size(); ++i) {
      EXPECT_LE(std::abs(rgb[i] - grey[i / 3]), 4) << i;
      EXPECT_EQ(rgb[i], rgb[i / 3 * 3]) << i;
    }
  }
}

TEST(grey_picture, the_same_picture_is_the_same_file) {
  const std::vector<std::uint8_t> grey(40 * 30, 77);
  const auto bytes = [](const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  for (const PictureFormat format : {PictureFormat::jpeg, PictureFormat::png}) {
    write_grey(temporary("a"), grey.data(), {40, 30}, format);
    write_grey(temporary("b"), grey.data(), {40, 30}, format);
    EXPECT_EQ(bytes(temporary("a")), bytes(temporary("b")));
  }
}

TEST(grey_picture, says_which_file_it_could_not_write) {
  const std::uint8_t grey = 0;
  try {
    write_grey("/nowhere/at/all.png", &grey, {1, 1}, PictureFormat::png);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::run);
    EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere/at/all.png: cannot write"));
  }
}

}  // namespace
}  // namespace kinema::media
