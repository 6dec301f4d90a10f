#include <ATen/TensorOperators.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kinema/loss.h"
#include "kinema/plugin.h"

namespace {

struct CrossEntropyOptions {
  double label_smoothing = 0;
  std::vector<double> class_weights;
};

[[noreturn]] void fail(kinema::ErrorKind kind, std::string what, std::string hint = {}) {
  throw kinema::Error(kind, "loss cross_entropy", std::move(what), std::move(hint));
}

std::string shape_text(const at::Tensor& t) {
  std::string text = "[";
  for (const auto size : t.sizes()) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

void check_shape(const char* name, const at::Tensor& t, at::IntArrayRef expected) {
  if (t.sizes() == expected) return;
  std::string text;
  for (const auto size : expected) text += (text.empty() ? "" : ", ") + std::to_string(size);
  fail(kinema::ErrorKind::plugin,
       std::string("bad shape of ") + name + ": expected [" + text + "], got " + shape_text(t));
}

// For callers other than the host, which has checked both labels and columns on the CPU, whatever the device:
// a look at numbers on a GPU would wait for it.
void check_range(const at::Tensor& labels, std::int64_t classes) {
  if (!labels.is_cpu() || labels.numel() == 0) return;
  const std::int64_t largest = labels.max().item().toLong();
  if (largest >= classes)
    fail(kinema::ErrorKind::data, "bad label: expected at most " + std::to_string(classes - 1) + " for " +
                                      std::to_string(classes) + " classes, got " + std::to_string(largest));
}

// torch's cross_entropy with item weights: the mean over the items, each counted with its weight. As in
// torch, the mean of class-weighted hard labels divides by the sum of the class weights met, that of soft
// targets by the number of items. Negative labels (no label) are left out; when nothing is left the loss is
// 0. What the mean divides by is the value's weight.
class CrossEntropy final : public kinema::Loss {
 public:
  explicit CrossEntropy(const CrossEntropyOptions& options) : label_smoothing_(options.label_smoothing) {
    if (!options.class_weights.empty()) class_weights_ = at::tensor(options.class_weights, at::kFloat);
  }

  kinema::LossValue operator()(const kinema::Output& output, const kinema::TargetBatch& target) override {
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    if (output.logits.dim() != 2)
      fail(kinema::ErrorKind::plugin,
           "bad shape of logits: expected [items, classes], got " + shape_text(output.logits));
    const at::Tensor logits =
        output.logits.scalar_type() == at::kDouble ? output.logits : output.logits.to(at::kFloat);
    const std::int64_t items = logits.size(0);
    at::Tensor weight = at::ones({items}, logits.options().requires_grad(false));
    if (target.weight.defined()) {
      check_shape("item weights", target.weight, {items});
      weight = target.weight.to(logits.options().requires_grad(false));
    }
    if (target.values.defined()) return soft(logits, target.values, weight);
    if (target.labels.defined()) return hard(logits, target.labels, weight);
    fail(kinema::ErrorKind::data,
         "no target: expected a label or one value per class for each item, got neither",
         "this loss fits data sets whose items have a class");
  }

 private:
  kinema::LossValue hard(const at::Tensor& logits, const at::Tensor& labels, const at::Tensor& weight) {
    check_shape("labels", labels, {logits.size(0)});
    check_range(labels, logits.size(1));
    const at::Tensor class_weights = weights_like(logits);
    constexpr std::int64_t kIgnored = -100;
    const at::Tensor unlabelled = labels.lt(0);
    const at::Tensor losses =
        at::cross_entropy_loss(logits, labels.masked_fill(unlabelled, kIgnored), optional(class_weights),
                               at::Reduction::None, kIgnored, label_smoothing_);
    at::Tensor counted = weight.masked_fill(unlabelled, 0);
    at::Tensor divisor = counted;
    if (class_weights.defined()) divisor = counted * class_weights.index_select(0, labels.clamp_min(0));
    return mean(losses, counted, divisor);
  }

  kinema::LossValue soft(const at::Tensor& logits, const at::Tensor& values, const at::Tensor& weight) {
    check_shape("target values", values, logits.sizes());
    const at::Tensor losses =
        at::cross_entropy_loss(logits, values.to(logits.options().requires_grad(false)),
                               optional(weights_like(logits)), at::Reduction::None, -100, label_smoothing_);
    return mean(losses, weight, weight);
  }

  static kinema::LossValue mean(const at::Tensor& losses, const at::Tensor& weight,
                                const at::Tensor& divisor) {
    // The smallest normal number instead of 0: an empty batch gives 0 with a gradient of 0, not NaN.
    const at::Tensor sum = divisor.sum();
    return {(losses * weight).sum() / sum.clamp_min(1.1754943508222875e-38), {}, sum};
  }

  at::Tensor weights_like(const at::Tensor& logits) {
    if (!class_weights_.defined()) return {};
    check_shape("class_weights", class_weights_, {logits.size(1)});
    class_weights_ = class_weights_.to(logits.device());  // stays there
    return class_weights_.to(logits.scalar_type());
  }

  static std::optional<at::Tensor> optional(const at::Tensor& t) {
    if (t.defined()) return t;
    return std::nullopt;
  }

  double label_smoothing_;
  at::Tensor class_weights_;  // float32; undefined: all equal
};

kinema::Options<CrossEntropyOptions> options() {
  return kinema::Options<CrossEntropyOptions>()
      .add("label_smoothing", &CrossEntropyOptions::label_smoothing,
           "share of each target that is spread evenly over all classes", kinema::between(0, 1))
      .add("class_weights", &CrossEntropyOptions::class_weights,
           "one number per class, in label order, that multiplies its items' loss; empty: all equal",
           kinema::each(kinema::at_least(0)))
      .check([](const CrossEntropyOptions& o) {
        std::vector<std::string> problems;
        double sum = 0;
        for (const double weight : o.class_weights) sum += weight;
        if (!o.class_weights.empty() && !(std::isfinite(sum) && sum > 0))
          problems.push_back("bad class_weights: expected finite numbers with a sum above 0, got a sum of " +
                             kinema::Value(sum).text());
        return problems;
      });
}

std::shared_ptr<CrossEntropy> make(const CrossEntropyOptions& options, kinema::Context& context) {
  const auto count = static_cast<std::int64_t>(options.class_weights.size());
  if (count > 0 && context.num_classes() > 0 && count != context.num_classes())
    fail(kinema::ErrorKind::usage, "wrong number of class_weights: expected " +
                                       std::to_string(context.num_classes()) + ", one for each class, got " +
                                       std::to_string(count));
  return std::make_shared<CrossEntropy>(options);
}

}  // namespace

KINEMA_PLUGIN("cross_entropy", "1.0", "softmax cross entropy for hard and soft labels") {
  registrar.add<kinema::Loss>("cross_entropy", "softmax cross entropy for hard and soft labels, as torch's",
                              options(), make);
}
