#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "kinema/error.h"
#include "kinema/layers.h"

namespace kinema {
namespace {

std::int64_t checked(std::int64_t features) {
  if (features <= 0)
    throw Error(ErrorKind::plugin, "LayerNorm",
                "wrong features: expected a positive number, got " + std::to_string(features));
  return features;
}

}  // namespace

LayerNorm::LayerNorm(std::int64_t features, double eps)
    : features_(checked(features)),
      eps_(eps),
      weight_(parameter("weight", at::ones({features}))),
      bias_(parameter("bias", at::zeros({features}))) {}

at::Tensor LayerNorm::forward(const at::Tensor& x) {
  return at::layer_norm(x, {features_}, weight_, bias_, eps_, true);
}

}  // namespace kinema
