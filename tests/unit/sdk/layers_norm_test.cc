#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include "tests/unit/sdk/torch_layers.h"

namespace kinema {
namespace {

using test::expect_like_torch;
namespace nn = torch::nn;

TEST(batch_norm, equals_torch_on_five_dimensions) {
  BatchNorm ours(5);
  nn::BatchNorm3d theirs(5);
  expect_like_torch(ours, theirs, {2, 5, 3, 5, 7});
  expect_like_torch(ours, theirs, {1, 5, 1, 1, 3});
}

TEST(batch_norm, equals_torch_with_its_own_eps_and_momentum) {
  BatchNorm ours(BatchNormOptions{.features = 4, .eps = 1e-3, .momentum = 0.4});
  nn::BatchNorm2d theirs(nn::BatchNormOptions(4).eps(1e-3).momentum(0.4));
  expect_like_torch(ours, theirs, {3, 4, 5, 7});
}

TEST(batch_norm, equals_torch_on_two_and_three_dimensions) {
  BatchNorm ours(3);
  nn::BatchNorm1d theirs(3);
  expect_like_torch(ours, theirs, {5, 3});
  expect_like_torch(ours, theirs, {2, 3, 7});
}

TEST(layer_norm, equals_torch) {
  LayerNorm ours(7);
  nn::LayerNorm theirs(nn::LayerNormOptions({7}));
  expect_like_torch(ours, theirs, {2, 3, 7});
  LayerNorm loose(5, 1e-2);
  nn::LayerNorm theirs_loose(nn::LayerNormOptions({5}).eps(1e-2));
  expect_like_torch(loose, theirs_loose, {1, 5});
}

TEST(linear, equals_torch) {
  Linear ours(7, 5);
  nn::Linear theirs(7, 5);
  expect_like_torch(ours, theirs, {3, 7});
  expect_like_torch(ours, theirs, {2, 3, 1, 7});
  Linear no_bias(LinearOptions{.in = 3, .out = 4, .bias = false});
  nn::Linear theirs_no_bias(nn::LinearOptions(3, 4).bias(false));
  expect_like_torch(no_bias, theirs_no_bias, {1, 3});
}

TEST(linear, draws_the_same_initial_values_as_torch) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  generator.set_current_seed(5);
  Linear ours(7, 5);
  generator.set_current_seed(5);
  nn::Linear theirs(7, 5);
  EXPECT_TRUE(ours.weight().equal(theirs->weight));
  EXPECT_TRUE(ours.bias().equal(theirs->bias));
}

}  // namespace
}  // namespace kinema
