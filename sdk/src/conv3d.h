#pragma once

#include <ATen/core/Tensor.h>

#include "kinema/layers.h"

namespace kinema::conv3d {

// at::conv3d; where a gradient of the weight is wanted and our kernel covers it, that gradient is computed by
// it. Second derivatives stay ATen's.
at::Tensor conv3d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  const Conv3dOptions& options);

}  // namespace kinema::conv3d
