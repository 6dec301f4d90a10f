#include "fusion.h"

#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/logaddexp.h>

#include <cmath>

namespace kinema::two_stream {
namespace {

using blocks::HeadActivation;

at::Tensor exact(const at::Tensor& x) { return x.scalar_type() == at::kDouble ? x : x.to(at::kFloat); }

}  // namespace

at::Tensor fuse_logits(const at::Tensor& rgb, const at::Tensor& flow, const FusionRule& r) {
  const at::Tensor a = exact(rgb), b = exact(flow);
  if (r.fusion == Fusion::logits) return a.mul(r.rgb_weight).add(b, r.flow_weight);
  // The mean of probabilities, in logarithms: small ones keep their digits, and their gradient.
  const double all = r.rgb_weight + r.flow_weight;
  const auto log_mean = [&](const at::Tensor& log_a, const at::Tensor& log_b) {
    return at::logaddexp(log_a.add(std::log(r.rgb_weight / all)), log_b.add(std::log(r.flow_weight / all)));
  };
  if (r.activation == HeadActivation::softmax) return log_mean(a.log_softmax(-1), b.log_softmax(-1));
  return log_mean(at::log_sigmoid(a), at::log_sigmoid(b))
      .sub(log_mean(at::log_sigmoid(a.neg()), at::log_sigmoid(b.neg())));
}

at::Tensor fuse_probabilities(const at::Tensor& rgb, const at::Tensor& flow, const FusionRule& r) {
  const double all = r.rgb_weight + r.flow_weight;
  return exact(rgb).mul(r.rgb_weight / all).add(exact(flow), r.flow_weight / all);
}

}  // namespace kinema::two_stream
