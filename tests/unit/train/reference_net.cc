#include "reference_net.h"

#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv3d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/formula.h"
#include "tests/support/golden.h"

namespace kinema::train::test {
namespace {

at::Tensor from_formula(const std::string& key, at::IntArrayRef shape, double scale, double offset = 0) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return at::tensor(kinema::test::formula_values(key, static_cast<std::size_t>(count), scale, offset))
      .reshape(shape);
}

}  // namespace

ReferenceNet::ReferenceNet(at::ScalarType dtype) {
  const auto add = [&](const std::string& name, at::IntArrayRef shape, double scale, double offset = 0) {
    parameters_.push_back({name, from_formula(name, shape, scale, offset).to(dtype).requires_grad_(true)});
  };
  add("conv.weight", {3, 2, 1, 3, 3}, kinema::test::formula_weight_scale(18));
  add("conv.bias", {3}, 0.1);
  add("bn.weight", {3}, 0.5, 1);
  add("bn.bias", {3}, 0.1);
  add("fc.weight", {4, 3}, kinema::test::formula_weight_scale(3));
  add("fc.bias", {4}, 0.1);
  input_ = from_formula("opt_input", {4, 2, 3, 5, 6}, 1).to(dtype);
  labels_ = at::tensor({0, 3, 1, 2}, at::kLong);
}

at::Tensor ReferenceNet::operator[](const std::string& name) const {
  for (const NamedTensor& p : parameters_)
    if (p.name == name) return p.tensor;
  return {};
}

double ReferenceNet::backward() {
  for (NamedTensor& p : parameters_) p.tensor.mutable_grad().reset();
  const ReferenceNet& self = *this;
  const at::Tensor features = at::conv3d(input_, self["conv.weight"], self["conv.bias"]);
  const at::Tensor normed =
      at::batch_norm(features, self["bn.weight"], self["bn.bias"], {}, {}, true, 0.1, 1e-5, false);
  const at::Tensor logits = at::linear(at::relu(normed).mean({2, 3, 4}), self["fc.weight"], self["fc.bias"]);
  const at::Tensor loss = at::cross_entropy_loss(logits, labels_);
  loss.backward();
  return loss.item().toDouble();
}

void expect_golden_steps(const std::string& op, Optimizer& optimizer, at::ScalarType dtype) {
  const std::string dtype_name = dtype == at::kDouble ? "float64" : "float32";
  const double tolerance = dtype == at::kDouble ? 1e-12 : 2e-6;
  ReferenceNet net(dtype);
  int compared = 0;
  for (const nlohmann::json& c : kinema::test::golden_cases("schedules/optimizers.json")) {
    if (c["op"] != op || c["dtype"] != dtype_name) continue;
    optimizer.attach(one_group(net.parameters(), c["args"].value("weight_decay", 0.0)));
    for (int step = 1; step <= 5; ++step) {
      EXPECT_NEAR(net.backward(), c["losses"][step - 1].get<double>(), tolerance) << op << " step " << step;
      optimizer.step(c["args"]["lr"].get<double>(), 1);
      for (const nlohmann::json& expected : c["parameters_first6"]) {
        if (expected["after_step"] != step) continue;
        for (const NamedTensor& p : net.parameters()) {
          // The batch norm removes this bias: its gradient is rounding noise, which Adam scales up.
          if (p.name == "conv.bias" && op.starts_with("Adam")) continue;
          const at::Tensor flat = p.tensor.detach().reshape({-1});
          const nlohmann::json& values = expected[p.name];
          for (std::size_t i = 0; i < values.size(); ++i, ++compared)
            EXPECT_NEAR(flat[static_cast<std::int64_t>(i)].item().toDouble(), values[i].get<double>(),
                        tolerance)
                << op << " step " << step << " " << p.name << "[" << i << "]";
        }
      }
    }
  }
  EXPECT_GT(compared, 40) << "no golden case " << op << " " << dtype_name;
}

std::vector<ParamGroup> one_group(std::vector<NamedTensor> parameters, double weight_decay) {
  std::vector<ParamGroup> groups(1);
  groups[0].parameters = std::move(parameters);
  groups[0].weight_decay = weight_decay;
  return groups;
}

NamedTensor filled_parameter(const std::string& name, double value, double gradient) {
  at::Tensor parameter = at::full({2, 3, 2}, value, at::kFloat).requires_grad_(true);
  if (!std::isnan(gradient)) parameter.mutable_grad() = at::full({2, 3, 2}, gradient, at::kFloat);
  return {name, parameter};
}

void expect_bit_exact_continuation(std::unique_ptr<Optimizer> (*make)()) {
  ReferenceNet first(at::kFloat), second(at::kFloat);
  const std::unique_ptr<Optimizer> optimizer = make(), resumed = make();
  optimizer->attach(one_group(first.parameters(), 0.01));
  for (int step = 0; step < 3; ++step) {
    first.backward();
    optimizer->step(0.05, 1);
  }
  const std::vector<NamedTensor> from = first.parameters(), to = second.parameters();
  for (std::size_t i = 0; i < from.size(); ++i) to[i].tensor.detach().copy_(from[i].tensor.detach());
  resumed->attach(one_group(to, 0.01));
  resumed->load_state(optimizer->state());
  for (int step = 0; step < 2; ++step) {
    first.backward();
    second.backward();
    optimizer->step(0.05, 0.9);
    resumed->step(0.05, 0.9);
  }
  for (std::size_t i = 0; i < from.size(); ++i)
    EXPECT_TRUE(at::equal(from[i].tensor, to[i].tensor)) << from[i].name;
}

}  // namespace kinema::train::test
