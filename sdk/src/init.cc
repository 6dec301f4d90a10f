#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <cmath>

#include "kinema/error.h"
#include "kinema/layers.h"
#include "torch_draw.h"
#include "torch_init.h"

namespace kinema {
namespace {

double fan_in(const at::Tensor& weight) { return static_cast<double>(weight.numel() / weight.size(0)); }

}  // namespace

namespace torch_init {

at::Tensor weight(at::Tensor weight) {
  const double a = std::sqrt(5.0);
  const double std = std::sqrt(2.0 / (1 + a * a)) / std::sqrt(fan_in(weight));
  const double bound = std::sqrt(3.0) * std;
  torch_draw::uniform(weight, -bound, bound);
  return weight;
}

at::Tensor bias(std::int64_t size, const at::Tensor& weight) {
  const double bound = 1 / std::sqrt(fan_in(weight));
  return at::empty({size}).uniform_(-bound, bound);
}

}  // namespace torch_init

namespace init {

void kaiming_normal_fan_out(at::Tensor& weight) {
  if (weight.dim() < 2)
    throw Error(ErrorKind::plugin, "kaiming_normal_fan_out",
                "wrong rank: expected a weight of rank 2 or more, got " + std::to_string(weight.dim()));
  const double fan_out = static_cast<double>(weight.numel() / weight.size(1));
  normal(weight, std::sqrt(2.0) / std::sqrt(fan_out));
}

void normal(at::Tensor& weight, double std) { torch_draw::normal(weight, 0, std); }

void truncated_normal(at::Tensor& weight, double std) { torch_draw::truncated_normal(weight, std, 2); }

void constant(at::Tensor& tensor, double value) {
  const at::NoGradGuard no_grad;
  tensor.fill_(value);
}

}  // namespace init
}  // namespace kinema
