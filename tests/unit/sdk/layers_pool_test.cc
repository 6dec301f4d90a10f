#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/pooling.h>

#include "tests/unit/sdk/torch_layers.h"

namespace kinema {
namespace {

using test::expect_like_torch;
namespace nn = torch::nn;

TEST(max_pool3d, equals_torch) {
  MaxPool3d ours({.kernel = {1, 3, 3}, .stride = {1, 2, 2}, .padding = {0, 1, 1}});
  nn::MaxPool3d theirs(nn::MaxPool3dOptions({1, 3, 3}).stride({1, 2, 2}).padding({0, 1, 1}));
  expect_like_torch(ours, theirs, {2, 3, 4, 9, 7});
  MaxPool3d ceil({.kernel = 2, .stride = 2, .ceil_mode = true});
  nn::MaxPool3d theirs_ceil(nn::MaxPool3dOptions(2).stride(2).ceil_mode(true));
  expect_like_torch(ceil, theirs_ceil, {1, 2, 5, 7, 9});
}

TEST(avg_pool3d, equals_torch_and_counts_the_padding) {
  AvgPool3d ours({.kernel = {2, 3, 3}, .stride = {2, 2, 1}, .padding = {1, 1, 0}});
  nn::AvgPool3d theirs(nn::AvgPool3dOptions({2, 3, 3}).stride({2, 2, 1}).padding({1, 1, 0}));
  expect_like_torch(ours, theirs, {2, 3, 5, 9, 7});
}

TEST(adaptive_avg_pool3d, equals_torch) {
  AdaptiveAvgPool3d ours({2, 1, 3});
  nn::AdaptiveAvgPool3d theirs(nn::AdaptiveAvgPool3dOptions({2, 1, 3}));
  expect_like_torch(ours, theirs, {2, 3, 5, 9, 7});
  AdaptiveAvgPool3d one;
  nn::AdaptiveAvgPool3d theirs_one(1);
  expect_like_torch(one, theirs_one, {1, 2, 3, 5, 7});
}

template <class T>
void compare(ActivationKind kind, T theirs) {
  Activation ours(kind);
  SCOPED_TRACE(ours.type_name());
  expect_like_torch(ours, theirs, {2, 3, 1, 5});
}

TEST(activation, equals_torch_for_every_kind) {
  compare(ActivationKind::relu, nn::ReLU());
  compare(ActivationKind::leaky_relu, nn::LeakyReLU());
  compare(ActivationKind::gelu, nn::GELU());
  compare(ActivationKind::silu, nn::SiLU());
  compare(ActivationKind::sigmoid, nn::Sigmoid());
  compare(ActivationKind::tanh, nn::Tanh());
}

TEST(activation, hardswish_is_x_times_relu6_of_x_plus_three_over_six) {
  Activation ours(ActivationKind::hardswish);
  const at::Tensor x = test::reference_input("input", {2, 7}).mul(5).to(at::kDouble).requires_grad_(true);
  const at::Tensor y = ours(x);
  y.sum().backward();
  const at::Tensor in = x.detach();
  test::expect_close(y, in.mul(in.add(3).clamp(0, 6)).div(6), 1e-12);
  const at::Tensor slope = in.mul(2).add(3).div(6);
  test::expect_close(x.grad(), slope.mul(in.gt(-3)).masked_fill(in.ge(3), 1), 1e-12);
}

}  // namespace
}  // namespace kinema
