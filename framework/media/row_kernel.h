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

// The arithmetic on one row of pixels, the same source compiled for several instruction sets: whole numbers,
// so that all of them give the same bytes. A pixel is red | green << 8 | blue << 16.
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
  void (*across)(const std::uint32_t* near, const std::uint32_t* far, const std::int32_t* weight, int count,
                 std::uint16_t* levels);
  // Blends two such rows: weight of `b` out of Taps::kOne.
  void (*down)(const std::uint16_t* a, const std::uint16_t* b, int weight, int count, std::uint32_t* pixels);
};

RowKernel row_kernel_plain();
RowKernel row_kernel_avx2();    // for processors that have it
RowKernel row_kernel_avx512();  // likewise
const RowKernel& best_row_kernel();

// `count` pixels as RGB24.
void pack(const std::uint32_t* pixels, int count, std::uint8_t* rgb);

}  // namespace kinema::media
