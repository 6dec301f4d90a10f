#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/modules/conv.h>

#include "tests/unit/sdk/torch_layers.h"

namespace kinema {
namespace {

using test::expect_like_torch;
namespace nn = torch::nn;

template <std::size_t D, class T>
void compare(const ConvOptions<D>& o, at::IntArrayRef shape) {
  Conv<D> ours(o);
  torch::ExpandingArray<D> kernel(o.kernel), stride(o.stride), padding(o.padding), dilation(o.dilation);
  T theirs(nn::ConvOptions<D>(o.in, o.out, kernel)
               .stride(stride)
               .padding(padding)
               .dilation(dilation)
               .groups(o.groups)
               .bias(o.bias));
  expect_like_torch(ours, theirs, shape);
}

TEST(conv3d, equals_torch_on_odd_sizes) {
  compare<3, nn::Conv3d>({.in = 3, .out = 5, .kernel = 3, .padding = 1}, {2, 3, 5, 7, 9});
}

TEST(conv3d, equals_torch_with_unequal_kernel_stride_and_padding_without_bias) {
  compare<3, nn::Conv3d>(
      {.in = 3, .out = 4, .kernel = {3, 7, 5}, .stride = {1, 2, 3}, .padding = {1, 3, 0}, .bias = false},
      {1, 3, 5, 11, 13});
}

TEST(conv3d, equals_torch_with_groups) {
  compare<3, nn::Conv3d>({.in = 6, .out = 9, .kernel = 2, .stride = 2, .groups = 3}, {2, 6, 5, 6, 7});
}

TEST(conv3d, equals_torch_when_depthwise) {
  compare<3, nn::Conv3d>({.in = 8, .out = 8, .kernel = 3, .stride = {1, 2, 2}, .padding = 1, .groups = 8},
                         {2, 8, 5, 9, 7});
}

TEST(conv3d, equals_torch_with_dilation) {
  compare<3, nn::Conv3d>({.in = 2, .out = 3, .kernel = 3, .padding = {2, 0, 1}, .dilation = {2, 1, 3}},
                         {1, 2, 7, 9, 11});
}

TEST(conv2d, equals_torch) {
  compare<2, nn::Conv2d>(
      {.in = 4, .out = 6, .kernel = {3, 5}, .stride = {2, 1}, .padding = {1, 2}, .groups = 2}, {3, 4, 9, 7});
  compare<2, nn::Conv2d>({.in = 3, .out = 2, .kernel = 3, .dilation = 2, .bias = false}, {1, 3, 9, 11});
}

TEST(conv1d, equals_torch) {
  compare<1, nn::Conv1d>({.in = 4, .out = 6, .kernel = 3, .stride = 2, .padding = 1, .groups = 2}, {3, 4, 9});
  compare<1, nn::Conv1d>({.in = 3, .out = 2, .kernel = 5, .dilation = 2, .bias = false}, {1, 3, 11});
}

void seed() {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  generator.set_current_seed(5);
}

TEST(conv, draws_the_same_initial_values_as_torch) {
  seed();
  Conv3d ours({.in = 6, .out = 4, .kernel = {1, 3, 2}, .groups = 2});
  seed();
  nn::Conv3d theirs(nn::Conv3dOptions(6, 4, {1, 3, 2}).groups(2));
  EXPECT_TRUE(ours.weight().equal(theirs->weight));
  EXPECT_TRUE(ours.bias().equal(theirs->bias));
}

}  // namespace
}  // namespace kinema
