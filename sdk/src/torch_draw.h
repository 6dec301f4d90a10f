#pragma once

#include <ATen/core/Tensor.h>

// Fills tensors from torch's default CPU generator; floats on all intra-op threads. The numbers, and the
// generator's state afterwards, are those of torch's own fill, which runs on one.
namespace kinema::torch_draw {

void uniform(at::Tensor& tensor, double from, double to);
void normal(at::Tensor& tensor, double mean, double std);
// As torch.nn.init.trunc_normal_: mean 0, nothing beyond -cut and cut.
void truncated_normal(at::Tensor& tensor, double std, double cut);

}  // namespace kinema::torch_draw
