#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

// How torch initialises convolutions and linear layers: the same numbers for the same generator state.
namespace kinema::torch_init {

// Fills a weight [out, in, ...]; returns it.
at::Tensor weight(at::Tensor weight);
// A new bias [size] for a weight that has been filled.
at::Tensor bias(std::int64_t size, const at::Tensor& weight);

}  // namespace kinema::torch_init
