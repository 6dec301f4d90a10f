#pragma once

#include <cstdint>

namespace kinema::media {

// From YUV to RGB in whole numbers: each channel is (luma * y + u * (chroma u) + v * (chroma v) + offset) >>
// kColourBits, clamped to 0..255. Chroma comes in eighths of a level.
constexpr int kColourBits = 14;
struct Colour {
  std::int32_t luma = 0;
  std::int32_t red_v = 0, green_u = 0, green_v = 0, blue_u = 0;
  std::int32_t red_offset = 0, green_offset = 0, blue_offset = 0;
};

// Eight neighbouring outputs of a blend along the row, prepared for vectors: outputs 0 to 3 look at the eight
// pixels from window[0] on, 4 to 7 at those from window[1] on.
struct ColumnBlock {
  std::int32_t first = 0;  // output
  bool windowed = false;   // false: the taps lie too far apart
  std::int32_t window[2] = {};
  std::int32_t place[16] =
      {};                     // in the windows: near of 0 to 3, far of 0 to 3, near of 4 to 7, far of 4 to 7
  std::int32_t pair[8] = {};  // rest | weight << 16
};

// The taps of a blend along the row, as places in the row that is given.
struct ColumnTaps {
  int count = 0;
  const std::int32_t *near = nullptr, *far = nullptr, *weight = nullptr;
  const ColumnBlock* blocks = nullptr;  // cover all outputs, some of them twice; none of fewer than eight
  int block_count = 0;
};

// The arithmetic on one row of pixels for several instruction sets: whole numbers, so that all of them give
// the same bytes. A pixel is red | green << 8 | blue << 16.
struct RowKernel {
  const char* name;
  // sums[i] = a[i] + b[i]
  void (*add)(const std::uint8_t* a, const std::uint8_t* b, int count, std::int16_t* sums);
  // Twice as many: out[2 i] = 3 s[i] + s[i - 1], out[2 i + 1] = 3 s[i] + s[i + 1]; reads s[-1] and s[count].
  void (*widen)(const std::int16_t* s, int count, std::int16_t* out);
  // out[i] = 4 s[i]
  void (*scale)(const std::int16_t* s, int count, std::int16_t* out);
  void (*colour)(const std::uint8_t* y, const std::int16_t* u, const std::int16_t* v, int count,
                 const Colour& colour, std::uint32_t* pixels);
  // Blends along the row: three rows of `count` levels in 1/256, red, green, blue.
  void (*across)(const std::uint32_t* row, const ColumnTaps& taps, std::uint16_t* levels);
  // Blends two such rows: weight of `b` out of Taps::kOne.
  void (*down)(const std::uint16_t* a, const std::uint16_t* b, int weight, int count, std::uint32_t* pixels);
  // As RGB24, and not a byte more.
  void (*pack)(const std::uint32_t* pixels, int count, std::uint8_t* rgb);
};

RowKernel row_kernel_plain();
RowKernel row_kernel_avx2();    // for processors that have it
RowKernel row_kernel_avx512();  // likewise
const RowKernel& best_row_kernel();

}  // namespace kinema::media
