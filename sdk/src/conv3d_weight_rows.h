#pragma once

#include <cstdint>

// The inner loop of a convolution's weight gradient over one output row, on raw float memory. One source,
// compiled once per instruction set.
namespace kinema::conv3d {

// One row of output positions beside the row of input that their windows read, both channels last. A window
// is the kernel's width by the input's channels: contiguous values.
struct WeightRow {
  const float* input = nullptr;  // the first window's first value; `lanes` more than the last window readable
  const float* grad = nullptr;   // [width, out]
  float* weight_grad = nullptr;  // [out, padded_window], added to
  std::int64_t width = 0;        // output positions
  std::int64_t input_step = 0;   // from one window to the next
  std::int64_t out = 0;          // output channels
  std::int64_t padded_window = 0;  // a window's size, rounded up to a multiple of `lanes`
};

struct WeightRowKernel {
  std::int64_t lanes = 0;  // what lies in a window's rounding is written and means nothing
  void (*add)(const WeightRow&) = nullptr;
};

WeightRowKernel weight_row_avx2();
WeightRowKernel weight_row_avx512();

// The fastest that this machine runs; `add` is null where none is faster than ATen's.
WeightRowKernel best_weight_row();

}  // namespace kinema::conv3d
