#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/media/row_kernel.h"
#include "kinema/geometry.h"

namespace kinema::media {

// Bilinear weights along one axis: output i = (in[near] * (kOne - weight) + in[far] * weight) / kOne.
struct Taps {
  std::vector<std::int32_t> near, far;
  std::vector<std::int32_t> weight;  // of `far`, out of kOne
  static constexpr int kBits = 11;
  static constexpr int kOne = 1 << kBits;
  bool operator==(const Taps&) const = default;
};

// Output pixel i samples begin + (i + 0.5) * length / count - 0.5, clamped to the pixels [low, high].
Taps make_taps(double begin, double length, int count, int low, int high, bool flip);

// True when every output pixel is exactly one input pixel.
bool is_copy(const Taps& taps);

class PixelRows;

// ColumnTaps and what they point to.
struct ColumnPlan {
  std::vector<std::int32_t> near, far, weight;
  std::vector<ColumnBlock> blocks;

  ColumnTaps taps() const;
};

// For rows that hold the columns from `left` to before `right`.
ColumnPlan plan_columns(const Taps& columns, int left, int right);

// Puts a window together out of rows. Keeps its buffers; one per thread.
class Resampler {
 public:
  // `source` has the columns from `left` on; RGB24 [rows, columns, 3] to `out`.
  void run(PixelRows& source, int left, const Taps& columns, const Taps& rows, std::uint8_t* out);
  // Out of an RGB24 picture of which `rgb`, `stride` bytes a row, holds the part at (left, top).
  void run(const std::uint8_t* rgb, std::size_t stride, int left, int top, const Taps& columns,
           const Taps& rows, std::uint8_t* out);

 private:
  void copy(PixelRows& source, int left, const Taps& columns, const Taps& rows, std::uint8_t* out);
  void plan(const Taps& columns, int left, int right);
  const std::uint16_t* row(PixelRows& source, int y, int slot);

  Taps planned_;  // what plan_ was made of
  int planned_left_ = 0, planned_right_ = 0;
  ColumnPlan plan_;
  std::vector<std::uint32_t> pixels_;
  std::vector<std::uint16_t> rows_[2];
  int held_[2] = {-1, -1};
};

// The columns that taps read: from the first one to the one after the last.
int first_of(const Taps& taps);
int end_of(const Taps& taps);

}  // namespace kinema::media
