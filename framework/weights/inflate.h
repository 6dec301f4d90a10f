#pragma once

#include <ATen/core/Tensor.h>

#include "framework/config/experiment.h"

namespace kinema::weights {

using config::Inflation;

// True when `image` [out, in, h, w] is a kernel that inflates to `clip` [out, in, t, h, w].
bool inflates(at::IntArrayRef image, at::IntArrayRef clip);

// The kernel over `frames` frames, contiguous.
at::Tensor inflate(const at::Tensor& image, std::int64_t frames, Inflation inflation);

}  // namespace kinema::weights
