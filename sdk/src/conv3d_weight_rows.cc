#include "conv3d_weight_rows.h"

namespace kinema::conv3d {

WeightRowKernel best_weight_row() {
  if (__builtin_cpu_supports("avx512f")) return weight_row_avx512();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return weight_row_avx2();
  return {};
}

}  // namespace kinema::conv3d
