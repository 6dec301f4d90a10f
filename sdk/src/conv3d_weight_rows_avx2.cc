#include "conv3d_weight_rows.h"

namespace kinema::conv3d {
namespace {
constexpr int kLanes = 8, kMostVectors = 3, kMostRows = 4;
}

#include "conv3d_weight_rows.inc"

WeightRowKernel weight_row_avx2() { return {kLanes, add_weight_row}; }

}  // namespace kinema::conv3d
