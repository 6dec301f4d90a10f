#include <ATen/ops/cross_entropy_loss.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cmath>

#include "../items.h"
#include "kinema/plugin.h"

namespace kinema::losses {
namespace {

struct CrossEntropyOptions {
  double label_smoothing = 0;
  std::vector<double> class_weights;
};

// torch's cross_entropy with item weights: the mean over the items, each counted with its weight. As in
// torch, the mean of class-weighted hard labels divides by the sum of the class weights met, that of soft
// targets by the number of items. Negative labels (no label) are left out; when nothing is left the loss is
// 0. What the mean divides by is the value's weight.
class CrossEntropy final : public Loss {
 public:
  CrossEntropy(const CrossEntropyOptions& options, const Context& context)
      : label_smoothing_(options.label_smoothing),
        class_weights_(class_numbers("cross_entropy", "class_weights", options.class_weights, context)) {}

  LossValue operator()(const Output& output, const TargetBatch& target) override {
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    const Items items = items_of("cross_entropy", output, target);
    if (target.values.defined()) return soft(items.logits, target.values, items.weight);
    if (target.labels.defined()) return hard(items.logits, target.labels, items.weight);
    fail("cross_entropy", ErrorKind::data,
         "no target: expected a label or one value per class for each item, got neither",
         "this loss fits data sets whose items have a class");
  }

 private:
  LossValue hard(const at::Tensor& logits, const at::Tensor& labels, const at::Tensor& weight) {
    check_shape("cross_entropy", "labels", labels, {logits.size(0)});
    check_range("cross_entropy", labels, logits.size(1));
    const at::Tensor class_weights = weights_like(logits);
    constexpr std::int64_t kIgnored = -100;
    const at::Tensor unlabelled = labels.lt(0);
    const at::Tensor losses =
        at::cross_entropy_loss(logits, labels.masked_fill(unlabelled, kIgnored), optional(class_weights),
                               at::Reduction::None, kIgnored, label_smoothing_);
    at::Tensor counted = weight.masked_fill(unlabelled, 0);
    at::Tensor divisor = counted;
    if (class_weights.defined()) divisor = counted * class_weights.index_select(0, labels.clamp_min(0));
    return weighted_mean(losses, counted, divisor);
  }

  LossValue soft(const at::Tensor& logits, const at::Tensor& values, const at::Tensor& weight) {
    check_shape("cross_entropy", "target values", values, logits.sizes());
    const at::Tensor losses =
        at::cross_entropy_loss(logits, values.to(logits.options().requires_grad(false)),
                               optional(weights_like(logits)), at::Reduction::None, -100, label_smoothing_);
    return weighted_mean(losses, weight, weight);
  }

  at::Tensor weights_like(const at::Tensor& logits) {
    if (!class_weights_.defined()) return {};
    check_shape("cross_entropy", "class_weights", class_weights_, {logits.size(1)});
    class_weights_ = class_weights_.to(logits.device());  // stays there
    return class_weights_.to(logits.scalar_type());
  }

  static std::optional<at::Tensor> optional(const at::Tensor& t) {
    if (t.defined()) return t;
    return std::nullopt;
  }

  double label_smoothing_;
  at::Tensor class_weights_;  // undefined: all equal
};

Options<CrossEntropyOptions> options() {
  return Options<CrossEntropyOptions>()
      .add("label_smoothing", &CrossEntropyOptions::label_smoothing,
           "share of each target that is spread evenly over all classes", between(0, 1))
      .add("class_weights", &CrossEntropyOptions::class_weights,
           "one number per class, in label order, that multiplies its items' loss; empty: all equal",
           each(at_least(0)))
      .check([](const CrossEntropyOptions& o) {
        std::vector<std::string> problems;
        double sum = 0;
        for (const double weight : o.class_weights) sum += weight;
        if (!o.class_weights.empty() && !(std::isfinite(sum) && sum > 0))
          problems.push_back("bad class_weights: expected finite numbers with a sum above 0, got a sum of " +
                             Value(sum).text());
        return problems;
      });
}

std::shared_ptr<Loss> make(const CrossEntropyOptions& options, Context& context) {
  return std::make_shared<CrossEntropy>(options, context);
}

}  // namespace
}  // namespace kinema::losses

KINEMA_PLUGIN("cross_entropy", "1.0", "softmax cross entropy for hard and soft labels") {
  using namespace kinema::losses;
  registrar.add<kinema::Loss>("cross_entropy", "softmax cross entropy for hard and soft labels, as torch's",
                              options(), make);
}
