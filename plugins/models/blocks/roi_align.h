#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace kinema::blocks {

struct RoiAlignOptions {
  std::int64_t size = 7;      // bins on each axis
  double scale = 1;           // from box coordinates to map coordinates
  std::int64_t sampling = 0;  // points of a bin on each axis; 0: as many as the bin has cells, rounded up
  bool aligned = true;  // pixel centres lie at half coordinates; false: the older rule, boxes of at least 1
};

// He et al. 2017, "Mask R-CNN": the mean of bilinear samples in each bin of each box. `features`
// [N, C, H, W], `boxes` [R, 5] (batch index, x1, y1, x2, y2) -> [R, C, size, size]. Values as
// torchvision.ops.roi_align. Differentiable with respect to the features, any number of times; on any device.
at::Tensor roi_align(const at::Tensor& features, const at::Tensor& boxes, const RoiAlignOptions& options);

}  // namespace kinema::blocks
