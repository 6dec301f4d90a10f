// The convolution whose weight gradient is computed by our kernel, beside torch's in double precision.
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/nn/modules/conv.h>

#include "tests/unit/sdk/torch_layers.h"

namespace kinema {
namespace {

using test::expect_close;
namespace nn = torch::nn;

constexpr double kTolerance = 2e-6;  // relative to the largest value: float32 sums of some thousand products
constexpr auto kLast = at::MemoryFormat::ChannelsLast3d;

bool machine_has_kernel() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

nn::Conv3d torchs(const Conv3dOptions& o) {
  torch::ExpandingArray<3> kernel(o.kernel), stride(o.stride), padding(o.padding);
  nn::Conv3d conv(nn::Conv3dOptions(o.in, o.out, kernel).stride(stride).padding(padding).bias(o.bias));
  conv->to(at::kDouble);
  return conv;
}

void compare(const Conv3dOptions& o, at::IntArrayRef shape) {
  Conv3d ours(o);
  nn::Conv3d theirs = torchs(o);
  for (const auto& list : {ours.parameters(), test::torch_parameters(theirs)}) test::fill(list);
  const at::Tensor x = test::pass_input(shape, at::kDouble);
  const at::Tensor x_float = x.detach().to(at::kFloat).contiguous(kLast).requires_grad_(true);
  const at::Tensor y = ours(x_float);
  EXPECT_EQ(y.grad_fn()->name().find("Convolution") != std::string::npos &&
                y.grad_fn()->name().find("ConvolutionBackward") == std::string::npos,
            machine_has_kernel())
      << y.grad_fn()->name();
  const at::Tensor y_torch = theirs->forward(x);
  const at::Tensor grad = test::reference_input("gradient", y_torch.sizes());
  y_torch.backward(grad.to(at::kDouble));
  y.backward(grad.to(at::kFloat));
  const auto near = [](const char* what, const at::Tensor& got, const at::Tensor& wanted) {
    SCOPED_TRACE(what);
    expect_close(got.to(at::kDouble), wanted, kTolerance);
  };
  near("output", y.detach(), y_torch.detach());
  near("x", x_float.grad(), x.grad());
  near("weight", ours.weight().grad(), theirs->weight.grad());
  if (o.bias) near("bias", ours.bias().grad(), theirs->bias.grad());
}

TEST(conv3d_weight_grad, equals_torch_for_a_stem) {
  compare({.in = 3, .out = 24, .kernel = {3, 7, 7}, .stride = {1, 2, 2}, .padding = {1, 3, 3}, .bias = false},
          {2, 3, 4, 30, 31});
}

TEST(conv3d_weight_grad, equals_torch_on_odd_channels_and_sizes) {
  compare({.in = 5, .out = 7, .kernel = 3, .padding = 1}, {3, 5, 5, 7, 13});
  compare({.in = 8, .out = 9, .kernel = {1, 3, 3}, .padding = {0, 1, 1}}, {1, 8, 3, 1, 12});
  compare({.in = 24, .out = 48, .kernel = 3, .stride = 2, .padding = 1, .bias = false}, {2, 24, 5, 9, 27});
}

TEST(conv3d_weight_grad, equals_torch_for_pointwise_and_temporal_kernels) {
  compare({.in = 6, .out = 10, .kernel = 1, .stride = {1, 2, 2}}, {2, 6, 3, 5, 25});
  compare({.in = 6, .out = 4, .kernel = {3, 1, 1}, .padding = {1, 0, 0}}, {2, 6, 1, 4, 16});
}

TEST(conv3d_weight_grad, equals_torch_where_windows_skip_columns_or_lie_in_the_padding) {
  compare({.in = 4, .out = 5, .kernel = {2, 2, 2}, .stride = {3, 2, 3}}, {1, 4, 7, 6, 41});
  compare({.in = 2, .out = 3, .kernel = {5, 5, 5}, .padding = {4, 4, 4}}, {1, 2, 2, 3, 12});
}

TEST(conv3d_weight_grad, is_the_same_each_time) {
  Conv3d conv({.in = 24, .out = 24, .kernel = 3, .padding = 1});
  const at::Tensor x = test::pass_input({2, 24, 4, 16, 16}, at::kFloat).detach().contiguous(kLast);
  const auto gradient = [&] {
    conv.weight().mutable_grad().reset();
    conv(x).square().sum().backward();
    return conv.weight().grad();
  };
  const at::Tensor first = gradient();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(first.equal(gradient()));
}

TEST(conv3d_weight_grad, leaves_second_derivatives_right) {
  Conv3d ours({.in = 3, .out = 4, .kernel = 3, .padding = 1});
  nn::Conv3d theirs = torchs(ours.options());
  for (const auto& list : {ours.parameters(), test::torch_parameters(theirs)}) test::fill(list);
  const auto second = [](const at::Tensor& weight, const at::Tensor& x, const at::Tensor& y) {
    const auto first = torch::autograd::grad({y.square().sum()}, {weight}, {}, true, true)[0];
    first.square().sum().backward();
    return x.grad();
  };
  const at::Tensor x = test::pass_input({1, 3, 3, 5, 14}, at::kDouble);
  const at::Tensor x_float = x.detach().to(at::kFloat).contiguous(kLast).requires_grad_(true);
  const at::Tensor got = second(ours.weight(), x_float, ours(x_float));
  expect_close(got.to(at::kDouble), second(theirs->weight, x, theirs->forward(x)), 1e-5);
}

}  // namespace
}  // namespace kinema
