#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kinema/context.h"
#include "kinema/error.h"
#include "kinema/loss.h"

// What the losses share that are a mean over items, each with its weight.
namespace kinema::losses {

[[noreturn]] inline void fail(const char* loss, ErrorKind kind, std::string what, std::string hint = {}) {
  throw Error(kind, std::string("loss ") + loss, std::move(what), std::move(hint));
}

inline std::string shape_text(at::IntArrayRef sizes) {
  std::string text = "[";
  for (const std::int64_t size : sizes) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

inline void check_shape(const char* loss, const char* name, const at::Tensor& tensor,
                        at::IntArrayRef expected) {
  if (tensor.sizes() == expected) return;
  fail(loss, ErrorKind::plugin,
       std::string("bad shape of ") + name + ": expected " + shape_text(expected) + ", got " +
           shape_text(tensor.sizes()));
}

// The scores of items in float32 or float64, and what each item weighs.
struct Items {
  at::Tensor logits;  // [items, classes]
  at::Tensor weight;  // [items], of the logits' type
};

inline Items items_of(const char* loss, const Output& output, const TargetBatch& target) {
  if (output.logits.dim() != 2)
    fail(loss, ErrorKind::plugin,
         "bad shape of logits: expected [items, classes], got " + shape_text(output.logits.sizes()));
  Items items{output.logits.scalar_type() == at::kDouble ? output.logits : output.logits.to(at::kFloat), {}};
  const at::TensorOptions plain = items.logits.options().requires_grad(false);
  items.weight = at::ones({items.logits.size(0)}, plain);
  if (target.weight.defined()) {
    check_shape(loss, "item weights", target.weight, {items.logits.size(0)});
    items.weight = target.weight.to(plain);
  }
  return items;
}

// For callers other than the host, which has checked both labels and columns on the CPU, whatever the device:
// a look at numbers on a GPU would wait for it.
inline void check_range(const char* loss, const at::Tensor& labels, std::int64_t classes) {
  if (!labels.is_cpu() || labels.numel() == 0) return;
  const std::int64_t largest = labels.max().item().toLong();
  if (largest >= classes)
    fail(loss, ErrorKind::data,
         "bad label: expected at most " + std::to_string(classes - 1) + " for " + std::to_string(classes) +
             " classes, got " + std::to_string(largest));
}

// Values for each class, [items, classes]: those of the target, or 1 at the label. An item without a label (a
// negative one) weighs nothing from here on.
inline at::Tensor values_of(const char* loss, Items& items, const TargetBatch& target) {
  const at::TensorOptions plain = items.logits.options().requires_grad(false);
  if (target.values.defined()) {
    check_shape(loss, "target values", target.values, items.logits.sizes());
    return target.values.to(plain);
  }
  if (!target.labels.defined())
    fail(loss, ErrorKind::data,
         "no target: expected a label or one value per class for each item, got neither",
         "this loss fits data sets whose items have classes");
  check_shape(loss, "labels", target.labels, {items.logits.size(0)});
  check_range(loss, target.labels, items.logits.size(1));
  items.weight = items.weight.masked_fill(target.labels.lt(0), 0);
  return at::one_hot(target.labels.clamp_min(0), items.logits.size(1)).to(plain);
}

// Mean of each item's loss; `divisor` [items] is what each counts in the mean. Nothing to count: 0 with a
// gradient of 0, not NaN, as the divisor is at least the smallest normal number.
inline LossValue weighted_mean(const at::Tensor& losses, const at::Tensor& weight,
                               const at::Tensor& divisor) {
  const at::Tensor sum = divisor.sum();
  return {(losses * weight).sum() / sum.clamp_min(std::numeric_limits<float>::min()), {}, sum};
}

// One number per class as a tensor, undefined when there are none; throws Error(usage) for another count.
inline at::Tensor class_numbers(const char* loss, const char* name, const std::vector<double>& numbers,
                                const Context& context) {
  if (numbers.empty()) return {};
  const auto count = static_cast<std::int64_t>(numbers.size());
  if (context.num_classes() > 0 && count != context.num_classes())
    fail(loss, ErrorKind::usage,
         std::string("wrong number of ") + name + ": expected " + std::to_string(context.num_classes()) +
             ", one for each class, got " + std::to_string(count));
  return at::tensor(numbers, at::kFloat);
}

}  // namespace kinema::losses
