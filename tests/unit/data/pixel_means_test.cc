#include "framework/data/pixel_means.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace kinema::data {
namespace {

TEST(pixel_means, are_those_of_a_plain_sum_at_every_length) {
  std::mt19937 random(3);
  for (const std::size_t pixels : {1, 31, 32, 33, 64, 1000, 300000}) {
    std::vector<std::uint8_t> rgb(3 * pixels);
    std::array<double, 3> sums{};
    for (std::size_t i = 0; i < rgb.size(); ++i) {
      rgb[i] = static_cast<std::uint8_t>(random());
      sums[i % 3] += rgb[i];
    }
    const auto means = pixel_means(rgb);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_DOUBLE_EQ(means[c], sums[c] / static_cast<double>(pixels)) << pixels;
  }
}

TEST(pixel_means, do_not_overflow_on_white) {
  const std::vector<std::uint8_t> white(std::size_t{60} << 20, 255);
  EXPECT_EQ(pixel_means(white), (std::array<double, 3>{255, 255, 255}));
}

TEST(pixel_means, of_nothing_are_zeros) { EXPECT_EQ(pixel_means({}), (std::array<double, 3>{0, 0, 0})); }

}  // namespace
}  // namespace kinema::data
