#pragma once

// Private to this folder.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/media/row_kernel.h"

namespace kinema::media {

// Rows of a picture as pixels (RowKernel), for the columns [left, right) that somebody needs.
class PixelRows {
 public:
  virtual ~PixelRows() = default;
  // Row `y`, beginning with column `left`. Valid until the next call.
  virtual const std::uint32_t* row(int y) = 0;
};

// Of an RGB24 picture, of which `rgb` holds the part at (left, top).
class RgbRows final : public PixelRows {
 public:
  RgbRows(const std::uint8_t* rgb, std::size_t stride, int left, int top, int from, int to);
  const std::uint32_t* row(int y) override;

 private:
  const std::uint8_t* rgb_;
  std::size_t stride_;
  int top_;
  std::vector<std::uint32_t> pixels_;
};

// Three planes of 8 bits, chroma at full or half width and height.
struct YuvPlanes {
  const std::uint8_t* planes[3] = {};
  std::ptrdiff_t strides[3] = {};
  int width = 0, height = 0;                   // of luma
  int chroma_shift_x = 0, chroma_shift_y = 0;  // 0 or 1
};

// Chroma lies where swscale has it: half-width samples between two luma samples, half-height ones on every
// second luma row (the first of each pair is the mean of two, and so is the last row of the picture).
class YuvRows final : public PixelRows {
 public:
  YuvRows(const YuvPlanes& frame, const Colour& colour, const RowKernel& kernel, int from, int to);
  const std::uint32_t* row(int y) override;

 private:
  const std::int16_t* chroma(int plane, int y, std::vector<std::int16_t>& out);

  YuvPlanes frame_;
  Colour colour_;
  const RowKernel& kernel_;
  int from_, to_;
  std::vector<std::int16_t> sums_, u_, v_;
  std::vector<std::uint32_t> pixels_;
};

}  // namespace kinema::media
