#include "framework/media/row_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "framework/media/resample.h"

namespace kinema::media {
namespace {

struct Rows {
  std::vector<std::int16_t> sums, widened, scaled;
  std::vector<std::uint32_t> pixels, blended;
  std::vector<std::uint8_t> packed;
  std::vector<std::uint16_t> levels;
  bool operator==(const Rows&) const = default;
};

constexpr int kRow = 1200, kLeft = 40;  // pixels of the row, and the column that is its first

// Every function of a kernel on the same noise.
Rows rows_of(const RowKernel& kernel, const ColumnPlan& plan) {
  const int count = plan.taps().count;
  std::mt19937 random(5);
  const auto size = static_cast<std::size_t>(count);
  const auto bytes = [&] {
    std::vector<std::uint8_t> all(size);
    for (auto& value : all) value = static_cast<std::uint8_t>(random());
    return all;
  };
  Rows rows;
  rows.sums.resize(size);
  kernel.add(bytes().data(), bytes().data(), count, rows.sums.data());
  std::vector<std::int16_t> padded(size + 2);
  for (auto& value : padded) value = static_cast<std::int16_t>(random() % 511);
  rows.widened.resize(2 * size);
  rows.scaled.resize(size);
  kernel.widen(padded.data() + 1, count, rows.widened.data());
  kernel.scale(padded.data(), count, rows.scaled.data());
  std::vector<std::int16_t> u(size), v(size);
  for (auto* plane : {&u, &v})
    for (auto& value : *plane) value = static_cast<std::int16_t>(random() % 2041);
  Colour colour{19077, 3269, -802, -1665, 4132, -3647000, 2205000, -4530000};
  rows.pixels.resize(size);
  kernel.colour(bytes().data(), u.data(), v.data(), count, colour, rows.pixels.data());
  std::vector<std::uint32_t> row(kRow);
  for (auto& pixel : row) pixel = random() & 0xffffff;
  rows.levels.resize(3 * size);
  kernel.across(row.data(), plan.taps(), rows.levels.data());
  std::vector<std::uint16_t> other(rows.levels.rbegin(), rows.levels.rend());
  rows.blended.resize(size);
  kernel.down(rows.levels.data(), other.data(), 777, count, rows.blended.data());
  rows.packed.assign(3 * size + 1, 0xee);
  kernel.pack(rows.blended.data(), count, rows.packed.data());
  EXPECT_EQ(rows.packed.back(), 0xee);
  return rows;
}

// `length` source pixels for `count` outputs.
void expect_equal_rows(double length, int count, bool flip) {
  const Taps taps = make_taps(kLeft + 3.3, length, count, kLeft, kLeft + kRow - 1, flip);
  const ColumnPlan plan = plan_columns(taps, kLeft, kLeft + kRow);
  const Rows plain = rows_of(row_kernel_plain(), plan);
  if (__builtin_cpu_supports("avx2")) {
    EXPECT_EQ(rows_of(row_kernel_avx2(), plan), plain) << length << " to " << count;
  }
  if (__builtin_cpu_supports("avx512bw")) {
    EXPECT_EQ(rows_of(row_kernel_avx512(), plan), plain) << length << " to " << count;
  }
}

TEST(row_kernel, all_instruction_sets_give_the_same_bytes) {
  for (const int count : {1, 7, 8, 15, 16, 31, 64, 113, 224, 1000})
    for (const double share : {0.3, 1.0, 1.14, 1.9, 5.0})
      for (const bool flip : {false, true}) expect_equal_rows(std::min(share * count, 1250.0), count, flip);
}

TEST(row_kernel, windows_stay_inside_the_row) {
  for (const int width : {1, 5, 8, 9, 17}) {
    const ColumnPlan plan = plan_columns(make_taps(0, width, 2 * width + 8, 0, width - 1, false), 0, width);
    ASSERT_FALSE(plan.blocks.empty());
    for (const ColumnBlock& block : plan.blocks) {
      EXPECT_EQ(block.windowed, width >= 8) << width;
      if (!block.windowed) continue;
      for (const std::int32_t window : block.window) EXPECT_TRUE(window >= 0 && window + 8 <= width) << width;
    }
  }
}

TEST(row_kernel, levels_at_both_ends_of_the_range_are_blended_exactly) {
  for (const int count : {3, 8, 21}) {
    const std::vector<std::uint16_t> white(3 * static_cast<std::size_t>(count), 255 * 256);
    const std::vector<std::uint16_t> black(white.size(), 0);
    std::vector<std::uint32_t> pixels(static_cast<std::size_t>(count));
    for (const int weight : {0, 1, 1024, 2047, 2048}) {
      best_row_kernel().down(white.data(), white.data(), weight, count, pixels.data());
      EXPECT_EQ(pixels, std::vector<std::uint32_t>(pixels.size(), 0xffffff)) << weight;
      best_row_kernel().down(black.data(), white.data(), weight, count, pixels.data());
      const auto level = static_cast<std::uint32_t>((255 * weight + 1024) >> 11);
      EXPECT_EQ(pixels, std::vector<std::uint32_t>(pixels.size(), level * 0x010101)) << weight;
    }
  }
}

TEST(row_kernel, chroma_is_widened_between_its_neighbours) {
  const std::int16_t samples[] = {0, 0, 8, 16, 16};
  std::int16_t out[6];
  row_kernel_plain().widen(samples + 1, 3, out);
  const std::int16_t expected[] = {0, 8, 24, 40, 56, 64};
  EXPECT_TRUE(std::equal(out, out + 6, expected));
}

TEST(row_kernel, colours_are_clamped) {
  const Colour grey{1 << kColourBits, 1 << kColourBits, 0, 0, 1 << kColourBits, 0, 0, 0};
  const std::uint8_t y[] = {200, 10};
  const std::int16_t u[] = {100, -20}, v[] = {-300, 3};
  std::uint32_t pixels[2];
  best_row_kernel().colour(y, u, v, 2, grey, pixels);
  EXPECT_EQ(pixels[0], 0u | 200u << 8 | 255u << 16);
  EXPECT_EQ(pixels[1], 13u | 10u << 8 | 0u << 16);
}

TEST(row_kernel, pixels_are_packed_without_a_byte_more) {
  const std::uint32_t pixels[] = {0x030201, 0x060504, 0x090807};
  std::vector<std::uint8_t> out(10, 0xee);
  best_row_kernel().pack(pixels, 3, out.data());
  EXPECT_EQ(out, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 0xee}));
}

}  // namespace
}  // namespace kinema::media
