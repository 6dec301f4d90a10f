#pragma once

#include <ATen/core/Tensor.h>

#include "blocks/pathway_head.h"

namespace kinema::two_stream {

// What is combined: logits, as their sum; or probabilities, as their mean.
enum class Fusion { logits, probabilities };

struct FusionRule {
  Fusion fusion = Fusion::logits;
  blocks::HeadActivation activation = blocks::HeadActivation::softmax;
  double rgb_weight = 1;
  double flow_weight = 1;
};

// Logits of both streams -> logits whose activation is the fused prediction. Float32 or better.
at::Tensor fuse_logits(const at::Tensor& rgb, const at::Tensor& flow, const FusionRule& rule);

// The weighted mean; weights are divided by their sum.
at::Tensor fuse_probabilities(const at::Tensor& rgb, const at::Tensor& flow, const FusionRule& rule);

}  // namespace kinema::two_stream
