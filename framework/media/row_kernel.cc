#include "framework/media/row_kernel.h"

#include "framework/media/resample.h"

namespace kinema::media {
namespace {

#include "framework/media/row_kernel.inc"

}  // namespace

RowKernel row_kernel_plain() { return {"plain", add, widen, scale, colour, across, down, pack}; }

const RowKernel& best_row_kernel() {
  static const RowKernel best = __builtin_cpu_supports("avx512bw") ? row_kernel_avx512()
                                : __builtin_cpu_supports("avx2")   ? row_kernel_avx2()
                                                                   : row_kernel_plain();
  return best;
}

}  // namespace kinema::media
