#include "framework/infer/operator_count.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <string_view>
#include <utility>

namespace kinema::infer {
namespace {

using Inputs = c10::ArrayRef<const c10::IValue>;

thread_local std::int64_t counted = 0;
thread_local int depth = 0;  // of counted operators: one may call another

// What an operator costs: known from its inputs but for the size of its output.
struct Cost {
  std::int64_t per_output = 0;
  std::int64_t fixed = 0;
};

std::int64_t last_side(const Inputs& inputs, std::size_t which) { return inputs[which].toTensor().size(-1); }

Cost convolution(const Inputs& inputs) {
  const at::Tensor& weight = inputs[1].toTensor();
  return {weight.numel() / weight.size(0), 0};
}
Cost product(const Inputs& inputs) { return {last_side(inputs, 0), 0}; }
Cost product_added(const Inputs& inputs) { return {last_side(inputs, 1), 0}; }
Cost attention(const Inputs& inputs) {
  const std::int64_t keys = inputs[1].toTensor().size(-2);
  return {keys, inputs[0].toTensor().numel() * keys};
}

struct Counting final : at::ObserverContext {
  explicit Counting(const Cost& of) : cost(of) {}
  Cost cost;
};

constexpr std::pair<std::string_view, Cost (*)(const Inputs&)> kOperators[] = {
    {"aten::convolution", convolution},
    {"aten::linear", product},
    {"aten::matmul", product},
    {"aten::mm", product},
    {"aten::bmm", product},
    {"aten::mv", product},
    {"aten::addmm", product_added},
    {"aten::baddbmm", product_added},
    {"aten::scaled_dot_product_attention", attention},
};

// A part of a network that computes its products in another way says how many they are.
constexpr std::string_view kSaid = "kinema::multiply_adds";

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& call) {
  if (call.name() == kSaid && call.inputs().size() == 1 && call.inputs()[0].isInt())
    counted += call.inputs()[0].toInt();
  for (const auto& [name, cost_of] : kOperators)
    if (name == call.name()) {
      ++depth;
      return std::make_unique<Counting>(cost_of(call.inputs()));
    }
  return nullptr;
}

void end(const at::RecordFunction& call, at::ObserverContext* context) {
  if (context == nullptr || --depth > 0) return;
  const Cost& cost = static_cast<const Counting*>(context)->cost;
  const auto& outputs = call.outputs();
  if (outputs.empty() || !outputs[0].isTensor()) return;
  counted += cost.fixed + cost.per_output * outputs[0].toTensor().numel();
}

}  // namespace

OperatorCount::OperatorCount()
    : handle_(
          at::addThreadLocalCallback(at::RecordFunctionCallback(begin, end)
                                         .needsInputs(true)
                                         .needsOutputs(true)
                                         .scopes({at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE}))) {
  counted = 0;
  depth = 0;
}

OperatorCount::~OperatorCount() { at::removeCallback(handle_); }

std::int64_t OperatorCount::take() { return std::exchange(counted, 0); }

}  // namespace kinema::infer
