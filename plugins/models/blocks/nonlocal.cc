#include "blocks/nonlocal.h"

#include <cmath>

namespace kinema::blocks {
namespace {

Conv3dOptions pointwise(std::int64_t in, std::int64_t out) { return {.in = in, .out = out}; }

// [N, C, T, H, W] -> [N, T * H * W, C], without a copy in channels-last memory.
at::Tensor positions(const at::Tensor& x) { return x.flatten(2).transpose(1, 2); }

}  // namespace

NonLocal::NonLocal(const NonLocalOptions& o)
    : options_(o),
      theta_(child<Conv3d>("conv_theta", pointwise(o.channels, o.inner))),
      phi_(child<Conv3d>("conv_phi", pointwise(o.channels, o.inner))),
      g_(child<Conv3d>("conv_g", pointwise(o.channels, o.inner))),
      out_(child<Conv3d>("conv_out", pointwise(o.inner, o.channels))),
      bn_(child<BatchNorm>("bn", o.channels)) {
  if (o.pool != Extent<3>(1))
    pool_ = child<MaxPool3d>("pool", Pool3dOptions{.kernel = o.pool, .stride = o.pool});
}

at::Tensor NonLocal::forward(const at::Tensor& x) {
  const at::Tensor seen = pool_ ? pool_(x) : x;
  at::Tensor weight = positions(theta_(x)).matmul(positions(phi_(seen)).transpose(1, 2));
  if (options_.affinity == Affinity::softmax)
    weight = weight.mul(1 / std::sqrt(static_cast<double>(options_.inner))).softmax(2);
  else
    weight = weight.div(weight.size(2));
  const at::Tensor y = weight.matmul(positions(g_(seen)))
                           .view({x.size(0), x.size(2), x.size(3), x.size(4), options_.inner})
                           .permute({0, 4, 1, 2, 3});
  return bn_(out_(y)).add(x);
}

}  // namespace kinema::blocks
