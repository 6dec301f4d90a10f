#include "conv3d.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/conv3d.h>
#include <ATen/ops/convolution_backward.h>
#include <torch/csrc/autograd/custom_function.h>

#include "conv3d_weight_grad.h"

namespace kinema::conv3d {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const WeightRowKernel& kernel() {
  static const WeightRowKernel best = best_weight_row();
  return best;
}

// The layer may be gone when the gradients are computed.
void save_options(AutogradContext& context, const Conv3dOptions& o) {
  context.saved_data["stride"] = std::vector<std::int64_t>(o.stride.begin(), o.stride.end());
  context.saved_data["padding"] = std::vector<std::int64_t>(o.padding.begin(), o.padding.end());
}

Conv3dOptions saved_options(AutogradContext& context, const at::Tensor& weight) {
  Conv3dOptions o{.in = weight.size(1), .out = weight.size(0)};
  const std::vector<std::int64_t> stride = context.saved_data["stride"].toIntVector();
  const std::vector<std::int64_t> padding = context.saved_data["padding"].toIntVector();
  for (std::size_t d = 0; d < 3; ++d) {
    o.kernel[d] = weight.size(static_cast<std::int64_t>(d) + 2);
    o.stride[d] = stride[d];
    o.padding[d] = padding[d];
  }
  return o;
}

struct Convolution : torch::autograd::Function<Convolution> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias, const Conv3dOptions& o) {
    context->save_for_backward({x, weight});
    save_options(*context, o);
    context->saved_data["bias"] = bias.has_value();
    return at::conv3d(x, weight, bias, o.stride, o.padding);
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &grad = grads[0];
    const Conv3dOptions o = saved_options(*context, weight);
    const bool wants_x = context->needs_input_grad(0), has_bias = context->saved_data["bias"].toBool();
    const bool ours = !at::GradMode::is_enabled();  // else the gradient itself is to be differentiated
    auto [x_grad, weight_grad, bias_grad] =
        at::convolution_backward(grad, x, weight, at::IntArrayRef({o.out}), o.stride, o.padding, o.dilation,
                                 false, {0, 0, 0}, 1, {wants_x, !ours, has_bias});
    if (ours) weight_grad = conv3d::weight_grad(x, grad, o, kernel());
    return {x_grad, weight_grad, bias_grad, {}};
  }
};

}  // namespace

at::Tensor conv3d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  const Conv3dOptions& o) {
  const bool trains = at::GradMode::is_enabled() && weight.requires_grad();
  if (!trains || at::autocast::is_autocast_enabled(at::kCPU) || weight.scalar_type() != at::kFloat ||
      !covers_weight_grad(x, o, kernel()))
    return at::conv3d(x, weight, bias, o.stride, o.padding, o.dilation, o.groups);
  return Convolution::apply(x, weight, bias.defined() ? std::optional(bias) : std::nullopt, o);
}

}  // namespace kinema::conv3d
