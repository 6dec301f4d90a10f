#include "blocks/squeeze_excitation.h"

#include <algorithm>

namespace kinema::blocks {
namespace {

Conv3dOptions pointwise(std::int64_t in, std::int64_t out) { return {.in = in, .out = out}; }

}  // namespace

std::int64_t round_channels(std::int64_t channels, double factor, std::int64_t divisor, std::int64_t least) {
  const double wanted = static_cast<double>(channels) * factor;
  const auto nearest = static_cast<std::int64_t>(wanted + static_cast<double>(divisor) / 2);
  const std::int64_t rounded = std::max(least, nearest / divisor * divisor);
  return static_cast<double>(rounded) < 0.9 * wanted ? rounded + divisor : rounded;
}

SqueezeExcitation::SqueezeExcitation(std::int64_t channels, std::int64_t hidden)
    : fc1_(child<Conv3d>("fc1", pointwise(channels, hidden))),
      relu_(child<Relu>("fc1_act", true)),
      fc2_(child<Conv3d>("fc2", pointwise(hidden, channels))),
      sigmoid_(child<Activation>("fc2_sig", ActivationKind::sigmoid)) {}

at::Tensor SqueezeExcitation::forward(const at::Tensor& x) {
  const at::Tensor means = x.mean(at::IntArrayRef({2, 3, 4}), true);
  return x.mul(sigmoid_(fc2_(relu_(fc1_(means)))));
}

}  // namespace kinema::blocks
