#pragma once

#include <ATen/core/Tensor.h>

#include "conv3d_weight_rows.h"
#include "kinema/layers.h"

namespace kinema::conv3d {

// Whether the weight gradient of this convolution runs on our kernel: float32 on the CPU, channels last, one
// group, no dilation, rows long enough that keeping sums in registers over a row pays.
bool covers_weight_grad(const at::Tensor& x, const Conv3dOptions& options, const WeightRowKernel& kernel);

// d loss / d weight, [out, in, kernel...], of y = conv3d(x): x [N, in, T, H, W], grad [N, out, T', H', W'].
// Threads of at::parallel_for; the same number of threads gives the same bytes.
at::Tensor weight_grad(const at::Tensor& x, const at::Tensor& grad, const Conv3dOptions& options,
                       const WeightRowKernel& kernel);

}  // namespace kinema::conv3d
