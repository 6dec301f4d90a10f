#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "../items.h"
#include "kinema/plugin.h"

namespace kinema::losses {
namespace {

enum class Activation { softmax, sigmoid };

struct FocalOptions {
  Activation activation = Activation::softmax;
  double gamma = 2;
  std::optional<double> alpha;
};

// Lin et al. 2017, "Focal Loss for Dense Object Detection": what is sure already counts less. With sigmoid as
// torchvision.ops.sigmoid_focal_loss, the mean over classes and items; with softmax -(1 - p)^gamma log p of
// the class.
class Focal final : public Loss {
 public:
  explicit Focal(const FocalOptions& o) : options_(o) {}

  LossValue operator()(const Output& output, const TargetBatch& target) override {
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    Items items = items_of("focal", output, target);
    const at::Tensor values = values_of("focal", items, target);
    const at::Tensor losses = options_.activation == Activation::sigmoid
                                  ? each_class(items.logits, values).mean(1)
                                  : of_class(items.logits, values);
    return weighted_mean(losses, items.weight, items.weight);
  }

 private:
  at::Tensor each_class(const at::Tensor& logits, const at::Tensor& values) const {
    const at::Tensor p = logits.sigmoid();
    const at::Tensor cross_entropy =
        at::binary_cross_entropy_with_logits(logits, values, {}, {}, at::Reduction::None);
    const at::Tensor miss = 1 - (p * values + (1 - p) * (1 - values));
    const at::Tensor losses = cross_entropy * miss.pow(options_.gamma);
    if (!options_.alpha) return losses;
    return losses * (values * *options_.alpha + (1 - values) * (1 - *options_.alpha));
  }
  at::Tensor of_class(const at::Tensor& logits, const at::Tensor& values) const {
    const at::Tensor log_p = logits.log_softmax(1);
    return (values * (1 - log_p.exp()).pow(options_.gamma) * log_p).sum(1).neg();
  }

  FocalOptions options_;
};

Options<FocalOptions> options() {
  using O = FocalOptions;
  return Options<O>()
      .add_enum("activation", &O::activation,
                "one class an item (softmax) or each class on its own (sigmoid)",
                {{"softmax", Activation::softmax}, {"sigmoid", Activation::sigmoid}})
      .add("gamma", &O::gamma, "how much less counts what is sure; 0: cross entropy", at_least(0))
      .add("alpha", &O::alpha, "sigmoid: share of what is there, against 1 - alpha of what is not",
           between(0, 1))
      .check([](const O& o) {
        std::vector<std::string> wrong;
        if (o.alpha && o.activation == Activation::softmax)
          wrong.push_back(
              "alpha without effect: expected activation = \"sigmoid\" beside it, got \"softmax\"");
        return wrong;
      });
}

std::shared_ptr<Loss> make(const FocalOptions& o, Context&) { return std::make_shared<Focal>(o); }

}  // namespace
}  // namespace kinema::losses

KINEMA_PLUGIN("focal", "1.0", "focal loss: what is sure already counts less") {
  registrar.add<kinema::Loss>("focal", "focal loss over softmax or sigmoid", kinema::losses::options(),
                              kinema::losses::make);
}
