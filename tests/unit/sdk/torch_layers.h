#pragma once

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kinema/layers.h"
#include "tests/support/reference.h"

// A layer beside torch's own module: the same weights, input and output gradient.
namespace kinema::test {

// What a forward and a backward pass gave.
struct PassResult {
  at::Tensor output;
  std::vector<NamedTensor> gradients;  // of the input ("x") and of each parameter
  std::vector<NamedTensor> state;      // afterwards
};

struct Tolerance {
  at::ScalarType dtype;
  double absolute;
};
inline const Tolerance kTolerances[] = {{at::kDouble, 1e-12}, {at::kFloat, 1e-5}};

inline at::Tensor pass_input(at::IntArrayRef shape, at::ScalarType dtype) {
  return reference_input("input", shape).to(dtype).requires_grad_(true);
}

// Weights that differ from every initialisation.
inline void fill(const std::vector<NamedTensor>& state) {
  const at::NoGradGuard no_grad;
  for (const NamedTensor& named : state) {
    if (!named.tensor.is_floating_point()) continue;
    at::Tensor value = reference_input(named.name, named.tensor.sizes());
    if (named.name == "running_var") value = value.abs().add(0.5);
    named.tensor.copy_(value);
  }
}

template <class Forward>
PassResult pass(const std::vector<NamedTensor>& parameters, const std::vector<NamedTensor>& state,
                const at::Tensor& x, Forward forward) {
  PassResult result;
  result.output = forward(x);
  result.output.backward(reference_input("gradient", result.output.sizes()).to(x.scalar_type()));
  result.gradients.push_back({"x", x.grad()});
  for (const NamedTensor& named : parameters) result.gradients.push_back({named.name, named.tensor.grad()});
  result.state = state;
  return result;
}

inline PassResult pass_of(Layer& layer, const at::Tensor& x) {
  return pass(layer.parameters(), layer.state(), x, [&](const at::Tensor& in) { return layer(in); });
}

inline void expect_close(const at::Tensor& ours, const at::Tensor& theirs, double absolute) {
  ASSERT_EQ(ours.defined(), theirs.defined());
  if (!ours.defined()) return;
  ASSERT_EQ(ours.sizes(), theirs.sizes());
  ASSERT_EQ(ours.scalar_type(), theirs.scalar_type());
  const double distance = ours.to(at::kDouble).sub(theirs.to(at::kDouble)).abs().max().item<double>();
  EXPECT_LE(distance, absolute * std::max(1.0, theirs.to(at::kDouble).abs().max().item<double>()));
}

inline void expect_close(const std::vector<NamedTensor>& ours, const std::vector<NamedTensor>& theirs,
                         double absolute) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    SCOPED_TRACE(theirs[i].name);
    EXPECT_EQ(ours[i].name, theirs[i].name);
    expect_close(ours[i].tensor, theirs[i].tensor, absolute);
  }
}

inline void expect_close(const PassResult& ours, const PassResult& theirs, double absolute) {
  expect_close(ours.output, theirs.output, absolute);
  expect_close(ours.gradients, theirs.gradients, absolute);
  expect_close(ours.state, theirs.state, absolute);
}

// T is a torch::nn holder (Conv3d): template, so that this header needs no torch::nn.
template <class T>
std::vector<NamedTensor> torch_parameters(T& module) {
  std::vector<NamedTensor> out;
  for (const auto& item : module->named_parameters()) out.push_back({item.key(), item.value()});
  return out;
}
template <class T>
std::vector<NamedTensor> torch_state(T& module) {
  std::vector<NamedTensor> out = torch_parameters(module);
  for (const auto& item : module->named_buffers()) out.push_back({item.key(), item.value()});
  return out;
}

// Same names, same filled weights, same results for both element types, in train and eval mode.
template <class T>
void expect_like_torch(Layer& ours, T& theirs, at::IntArrayRef shape) {
  for (const Tolerance& tolerance : kTolerances) {
    for (const bool training : {true, false}) {
      SCOPED_TRACE(std::string(training ? "train" : "eval") +
                   (tolerance.dtype == at::kDouble ? " f64" : " f32"));
      ours.to(tolerance.dtype);
      theirs->to(tolerance.dtype);
      // The C++ Module::to converts integers too, the Python one and ours do not.
      for (const NamedTensor& named : torch_state(theirs))
        if (named.name == "num_batches_tracked")
          at::Tensor(named.tensor).set_data(named.tensor.to(at::kLong));
      ours.train(training);
      theirs->train(training);
      for (const auto& list : {ours.state(), torch_state(theirs)}) fill(list);
      for (const auto& list : {ours.parameters(), torch_parameters(theirs)})
        for (const NamedTensor& named : list) named.tensor.mutable_grad().reset();
      const at::Tensor x = pass_input(shape, tolerance.dtype), y = pass_input(shape, tolerance.dtype);
      expect_close(pass_of(ours, x),
                   pass(torch_parameters(theirs), torch_state(theirs), y,
                        [&](const at::Tensor& in) { return theirs->forward(in); }),
                   tolerance.absolute);
    }
  }
}

}  // namespace kinema::test
