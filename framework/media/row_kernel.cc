#include "framework/media/row_kernel.h"

#include <cstring>

#include "framework/media/resample.h"

namespace kinema::media {
namespace {

#include "framework/media/row_kernel.inc"

}  // namespace

RowKernel row_kernel_plain() { return {"plain", add, widen, scale, colour, across, down}; }

const RowKernel& best_row_kernel() {
  static const RowKernel best = __builtin_cpu_supports("avx512bw") ? row_kernel_avx512()
                                : __builtin_cpu_supports("avx2")   ? row_kernel_avx2()
                                                                   : row_kernel_plain();
  return best;
}

// Four bytes at once: the last is the next pixel's first.
void pack(const std::uint32_t* pixels, int count, std::uint8_t* rgb) {
  for (int i = 0; i + 1 < count; ++i) std::memcpy(rgb + 3 * i, pixels + i, 4);
  if (count > 0) std::memcpy(rgb + 3 * (count - 1), pixels + count - 1, 3);
}

}  // namespace kinema::media
