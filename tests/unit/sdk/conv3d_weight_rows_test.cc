// The row kernel's source at the widths of each instruction set, on any machine: the compiler splits vectors
// that are too wide for it.
#include "sdk/src/conv3d_weight_rows.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace kinema::conv3d {
namespace {

namespace avx2 {
constexpr int kLanes = 8, kMostVectors = 3, kMostRows = 4;
#include "sdk/src/conv3d_weight_rows.inc"
}  // namespace avx2

namespace avx512 {
constexpr int kLanes = 16, kMostVectors = 3, kMostRows = 8;
#include "sdk/src/conv3d_weight_rows.inc"
}  // namespace avx512

float value(std::int64_t i) { return static_cast<float>((i * 37) % 23 - 11); }  // sums stay exact

std::vector<float> values(std::int64_t count) {
  std::vector<float> out(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) out[static_cast<std::size_t>(i)] = value(i);
  return out;
}

void compare(void (*add)(const WeightRow&), std::int64_t lanes, std::int64_t window, std::int64_t step,
             std::int64_t out, std::int64_t width) {
  SCOPED_TRACE(testing::Message() << lanes << " lanes, window " << window << ", out " << out);
  const std::int64_t padded = (window + lanes - 1) / lanes * lanes;
  const std::vector<float> input = values((width - 1) * step + window + lanes), grad = values(width * out);
  std::vector<float> sums = values(out * padded);
  const std::vector<float> before = sums;
  add({input.data(), grad.data(), sums.data(), width, step, out, padded});
  for (std::int64_t o = 0; o < out; ++o) {
    for (std::int64_t k = 0; k < window; ++k) {
      float wanted = before[static_cast<std::size_t>(o * padded + k)];
      for (std::int64_t x = 0; x < width; ++x) wanted += value(x * out + o) * value(x * step + k);
      ASSERT_EQ(sums[static_cast<std::size_t>(o * padded + k)], wanted) << "channel " << o << ", value " << k;
    }
  }
}

TEST(conv3d_weight_rows, adds_the_products_of_a_row_at_each_width_of_vector) {
  for (const std::int64_t window : {1, 7, 21, 24, 48, 72, 75}) {
    for (const std::int64_t out : {1, 3, 8, 13}) {
      compare(avx2::add_weight_row, avx2::kLanes, window, 6, out, 14);
      compare(avx512::add_weight_row, avx512::kLanes, window, 6, out, 14);
    }
  }
}

}  // namespace
}  // namespace kinema::conv3d
