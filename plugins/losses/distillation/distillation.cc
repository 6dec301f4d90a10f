#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <memory>
#include <optional>

#include "../items.h"
#include "kinema/plugin.h"

namespace kinema::losses {
namespace {

enum class Scores { softmax, sigmoid };

struct DistillationOptions {
  Component<Model> teacher;
  std::filesystem::path weights;
  Component<Loss> loss;
  double alpha = 0.5, temperature = 4;
  Scores scores = Scores::softmax;
};

// Hinton, Vinyals and Dean 2015, "Distilling the Knowledge in a Neural Network": the student learns from the
// labels and from what a trained teacher says of the same clips, softened by a temperature T. Times T
// squared, as gradients shrink by that. The teacher is no part of this module: it is not trained, and
// checkpoints do not hold it.
class Distillation final : public Loss {
 public:
  Distillation(const DistillationOptions& o, Context& context)
      : options_(o), teacher_(context.make(o.teacher)) {
    context.load_weights(*teacher_, o.weights);
    teacher_->train(false);
    for (const NamedTensor& parameter : teacher_->parameters()) parameter.tensor.set_requires_grad(false);
    if (o.loss) labels_.emplace(child_of<Loss>("loss", context.make(o.loss)));
  }

  LossValue operator()(const Output& output, const TargetBatch& target) override {
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    const Items items = items_of("distillation", output, target);
    const LossValue taught =
        weighted_mean(divergence(items.logits, taught_logits(items, target)), items.weight, items.weight);
    LossValue sum{taught.total * options_.alpha, {{"teacher", taught.total.detach()}}};
    if (!labels_) return sum;
    const LossValue learned = (**labels_)(output, target);
    sum.total = sum.total + learned.total * (1 - options_.alpha);
    sum.parts.push_back({"labels", learned.total.detach()});
    return sum;
  }

 private:
  at::Tensor taught_logits(const Items& items, const TargetBatch& target) {
    if (target.clips == nullptr)
      fail("distillation", ErrorKind::plugin, "no clips: expected what the model saw, got nothing");
    const at::NoGradGuard no_grad;
    teacher_->to(items.logits.device());
    const at::Tensor logits = teacher_->forward(*target.clips).logits;
    check_shape("distillation", "the teacher's logits", logits, items.logits.sizes());
    return logits.to(items.logits.scalar_type());
  }

  // Of each item: the Kullback-Leibler divergence of the student from the teacher; for classes each on its
  // own the mean over them.
  at::Tensor divergence(const at::Tensor& student, const at::Tensor& teacher) const {
    const double t = options_.temperature;
    const at::Tensor s = student / t, other = teacher / t;
    if (options_.scores == Scores::softmax)
      return (at::softmax(other, 1) * (at::log_softmax(other, 1) - at::log_softmax(s, 1))).sum(1) * (t * t);
    const at::Tensor there = at::sigmoid(other) * (at::log_sigmoid(other) - at::log_sigmoid(s));
    const at::Tensor not_there = at::sigmoid(-other) * (at::log_sigmoid(-other) - at::log_sigmoid(-s));
    return (there + not_there).mean(1) * (t * t);
  }

  DistillationOptions options_;
  std::shared_ptr<Model> teacher_;
  std::optional<Child<Loss>> labels_;
};

Options<DistillationOptions> options() {
  using O = DistillationOptions;
  return Options<O>()
      .add("teacher", &O::teacher, "the trained model, for the same classes and the same clips")
      .required()
      .add("weights", &O::weights, "its weights: a checkpoint or a file, as [model] weights takes")
      .required()
      .add("loss", &O::loss, "what is learned from the labels; nothing: the teacher alone says what is right")
      .add("alpha", &O::alpha, "the teacher's share; the labels have the rest", between(0, 1))
      .add("temperature", &O::temperature, "softens both: scores are divided by it", above(0))
      .add_enum("scores", &O::scores, "softmax: one class an item; sigmoid: several",
                {{"softmax", Scores::softmax}, {"sigmoid", Scores::sigmoid}});
}

std::shared_ptr<Loss> make(const DistillationOptions& o, Context& context) {
  return std::make_shared<Distillation>(o, context);
}

}  // namespace
}  // namespace kinema::losses

KINEMA_PLUGIN("distillation", "1.0", "a student learns from a trained teacher") {
  registrar.add<kinema::Loss>("distillation", "labels, and what a trained teacher says of the same clips",
                              kinema::losses::options(), kinema::losses::make);
}
