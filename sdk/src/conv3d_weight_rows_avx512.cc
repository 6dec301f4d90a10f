#include "conv3d_weight_rows.h"

namespace kinema::conv3d {
namespace {
constexpr int kLanes = 16, kMostVectors = 3, kMostRows = 8;
}

#include "conv3d_weight_rows.inc"

WeightRowKernel weight_row_avx512() { return {kLanes, add_weight_row}; }

}  // namespace kinema::conv3d
