#include <ATen/ops/dropout.h>
#include <ATen/ops/empty.h>

#include <vector>

#include "kinema/error.h"
#include "kinema/layers.h"

namespace kinema {

Dropout::Dropout(double p) : p_(p) {
  if (!(p >= 0 && p <= 1))
    throw Error(ErrorKind::plugin, "Dropout",
                "wrong probability: expected a number between 0 and 1, got " + std::to_string(p));
}

StochasticDepth::StochasticDepth(double p) : p_(p) {
  if (!(p >= 0 && p <= 1))
    throw Error(ErrorKind::plugin, "StochasticDepth",
                "wrong probability: expected a number between 0 and 1, got " + std::to_string(p));
}

at::Tensor StochasticDepth::forward(const at::Tensor& x) {
  if (!training() || p_ == 0) return x;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
  shape[0] = x.size(0);
  at::Tensor kept = at::empty(shape, x.options()).bernoulli_(1 - p_);
  if (p_ < 1) kept.div_(1 - p_);
  return x.mul(kept);
}

at::Tensor Dropout::forward(const at::Tensor& x) { return at::dropout(x, p_, training()); }

}  // namespace kinema
