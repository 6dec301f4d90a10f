#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "../items.h"
#include "kinema/plugin.h"

namespace kinema::losses {
namespace {

struct BceOptions {
  double label_smoothing = 0;
  std::vector<double> class_weights, positive_weights;
};

// torch's binary_cross_entropy_with_logits: each class on its own, the mean over classes and items. Values
// are taken as they are; a label is 1 at its class.
class Bce final : public Loss {
 public:
  Bce(const BceOptions& o, Context& context)
      : smoothing_(o.label_smoothing),
        class_weights_(class_numbers("bce", "class_weights", o.class_weights, context)),
        positive_weights_(class_numbers("bce", "positive_weights", o.positive_weights, context)) {}

  LossValue operator()(const Output& output, const TargetBatch& target) override {
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    Items items = items_of("bce", output, target);
    at::Tensor values = values_of("bce", items, target);
    if (smoothing_ > 0) values = values * (1 - smoothing_) + smoothing_ / 2;
    const at::Tensor losses = at::binary_cross_entropy_with_logits(
        items.logits, values, like(class_weights_, "class_weights", items.logits),
        like(positive_weights_, "positive_weights", items.logits), at::Reduction::None);
    return weighted_mean(losses.mean(1), items.weight, items.weight);
  }

 private:
  static std::optional<at::Tensor> like(at::Tensor& numbers, const char* name, const at::Tensor& logits) {
    if (!numbers.defined()) return std::nullopt;
    check_shape("bce", name, numbers, {logits.size(1)});
    numbers = numbers.to(logits.device());  // stays there
    return numbers.to(logits.scalar_type());
  }

  double smoothing_;
  at::Tensor class_weights_, positive_weights_;
};

Options<BceOptions> options() {
  using O = BceOptions;
  return Options<O>()
      .add("label_smoothing", &O::label_smoothing,
           "draws targets towards one half: 1 becomes 1 - s / 2, 0 becomes s / 2", between(0, 1))
      .add("class_weights", &O::class_weights,
           "one number per class that multiplies its part; empty: all equal", each(at_least(0)))
      .add("positive_weights", &O::positive_weights,
           "one number per class that multiplies its part where the class is there; empty: all equal",
           each(at_least(0)));
}

std::shared_ptr<Loss> make(const BceOptions& o, Context& context) {
  return std::make_shared<Bce>(o, context);
}

}  // namespace
}  // namespace kinema::losses

KINEMA_PLUGIN("bce", "1.0", "binary cross entropy, for clips and boxes with several classes") {
  registrar.add<kinema::Loss>("bce", "binary cross entropy of each class, from logits",
                              kinema::losses::options(), kinema::losses::make);
}
