#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "kinema/optimizer.h"

namespace kinema::train::test {

// The small network of golden/schedules/optimizers.json: conv, batch norm in train mode, relu, mean, linear.
class ReferenceNet {
 public:
  explicit ReferenceNet(at::ScalarType dtype);
  // Loss before the step; leaves the gradients in the parameters.
  double backward();
  std::vector<NamedTensor> parameters() const { return parameters_; }
  at::Tensor operator[](const std::string& name) const;

 private:
  std::vector<NamedTensor> parameters_;
  at::Tensor input_, labels_;
};

// Five steps on the reference network against the golden case of that name, float32 and float64.
void expect_golden_steps(const std::string& op, Optimizer& optimizer, at::ScalarType dtype);

// One group with every parameter.
std::vector<ParamGroup> one_group(std::vector<NamedTensor> parameters, double weight_decay = 0);

// A float parameter [2, 3, 2] with the given gradient value; NaN: no gradient.
NamedTensor filled_parameter(const std::string& name, double value, double gradient);

// Steps three times, hands the state to a new optimizer over a copy of the network, and steps both twice
// more.
void expect_bit_exact_continuation(std::unique_ptr<Optimizer> (*make)());

}  // namespace kinema::train::test
