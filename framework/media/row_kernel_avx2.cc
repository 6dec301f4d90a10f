#include <immintrin.h>

#include "framework/media/resample.h"
#include "framework/media/row_kernel.h"

namespace kinema::media {
namespace {

#include "framework/media/row_kernel.inc"

#include "framework/media/row_kernel_avx2.inc"

}  // namespace

RowKernel row_kernel_avx2() {
  return {"avx2", add, widen, scale, colour_avx2, across_avx2, down_avx2, pack_avx2};
}

}  // namespace kinema::media
