#include "framework/media/resample.h"
#include "framework/media/row_kernel.h"

namespace kinema::media {
namespace {

#include "framework/media/row_kernel.inc"

}  // namespace

RowKernel row_kernel_avx2() { return {"avx2", add, widen, scale, colour, across, down}; }

}  // namespace kinema::media
