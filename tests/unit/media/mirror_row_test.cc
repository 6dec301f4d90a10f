#include "framework/media/mirror_row.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace kinema::media {
namespace {

TEST(mirror_row, vectors_and_single_pixels_give_the_same_bytes_and_none_beside_them) {
  std::mt19937 random(3);
  for (int count = 0; count < 1100; count = count < 60 ? count + 1 : count * 2 + 3) {
    const auto bytes = static_cast<std::size_t>(3 * count);
    std::vector<std::uint8_t> in(bytes), vectors(bytes + 1, 7), plain(bytes + 1, 7);
    for (auto& byte : in) byte = static_cast<std::uint8_t>(random());
    mirror_row(in.data(), count, vectors.data());
    mirror_row_plain(in.data(), count, plain.data());
    EXPECT_EQ(vectors, plain) << count;
    EXPECT_EQ(plain.back(), 7);
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(plain[i], in[bytes - 3 * (i / 3 + 1) + i % 3]);
  }
}

}  // namespace
}  // namespace kinema::media
