#include <ATen/ops/gelu.h>
#include <ATen/ops/hardswish.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/tanh.h>

#include "kinema/error.h"
#include "kinema/layers.h"

namespace kinema {
namespace {

struct Function {
  ActivationKind kind;
  const char* name;
  at::Tensor (*apply)(const at::Tensor&);
};

const Function kFunctions[] = {
    {ActivationKind::relu, "ReLU", [](const at::Tensor& x) { return at::relu(x); }},
    {ActivationKind::leaky_relu, "LeakyReLU", [](const at::Tensor& x) { return at::leaky_relu(x); }},
    {ActivationKind::gelu, "GELU", [](const at::Tensor& x) { return at::gelu(x); }},
    {ActivationKind::silu, "SiLU", [](const at::Tensor& x) { return at::silu(x); }},
    {ActivationKind::sigmoid, "Sigmoid", [](const at::Tensor& x) { return at::sigmoid(x); }},
    {ActivationKind::tanh, "Tanh", [](const at::Tensor& x) { return at::tanh(x); }},
    {ActivationKind::hardswish, "Hardswish", [](const at::Tensor& x) { return at::hardswish(x); }},
};

const Function& function(ActivationKind kind) {
  for (const Function& f : kFunctions)
    if (f.kind == kind) return f;
  throw Error(
      ErrorKind::plugin, "Activation",
      "wrong kind: expected a value of ActivationKind, got " + std::to_string(static_cast<int>(kind)));
}

}  // namespace

Activation::Activation(ActivationKind kind) : kind_(function(kind).kind) {}

std::string Activation::type_name() const { return function(kind_).name; }

at::Tensor Activation::forward(const at::Tensor& x) { return function(kind_).apply(x); }

Relu::Relu(bool in_place) : Activation(ActivationKind::relu), in_place_(in_place) {}

at::Tensor Relu::forward(const at::Tensor& x) {
  // A tap keeps what it saw; autograd refuses to overwrite a leaf.
  const bool leaf = x.requires_grad() && x.is_leaf();
  if (!in_place_ || leaf || run_context().tap != nullptr) return at::relu(x);
  at::Tensor y = x;
  return at::relu_(y);
}

}  // namespace kinema
