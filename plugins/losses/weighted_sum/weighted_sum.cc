#include "../items.h"
#include "kinema/plugin.h"

namespace kinema::losses {
namespace {

struct WeightedSumOptions {
  std::vector<Component<Loss>> losses;
  std::vector<double> weights;
};

// A sum of losses, each a part of the log under its type. Batches are put together by the number of clips:
// exact where every part's mean counts each clip alike.
class WeightedSum final : public Loss {
 public:
  WeightedSum(const WeightedSumOptions& o, Context& context) : weights_(o.weights) {
    for (std::size_t i = 0; i < o.losses.size(); ++i) {
      const std::string name = std::to_string(i) + "_" + o.losses[i].type;
      names_.push_back(name);
      parts_.push_back(child_of<Loss>(name, context.make(o.losses[i])));
    }
  }

  LossValue operator()(const Output& output, const TargetBatch& target) override {
    LossValue sum;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const LossValue part = (*parts_[i])(output, target);
      const at::Tensor weighted = part.total * weights_[i];
      sum.total = sum.total.defined() ? sum.total + weighted : weighted;
      sum.parts.push_back({names_[i], part.total.detach()});
    }
    return sum;
  }

 private:
  std::vector<double> weights_;
  std::vector<std::string> names_;
  std::vector<Child<Loss>> parts_;
};

Options<WeightedSumOptions> options() {
  using O = WeightedSumOptions;
  return Options<O>()
      .add("losses", &O::losses, "the losses that are added", not_empty())
      .required()
      .add("weights", &O::weights, "a factor for each loss", not_empty())
      .required()
      .check([](const O& o) {
        std::vector<std::string> wrong;
        if (o.losses.size() != o.weights.size())
          wrong.push_back("wrong number of weights: expected " + std::to_string(o.losses.size()) +
                          ", one for each loss, got " + std::to_string(o.weights.size()));
        return wrong;
      });
}

std::shared_ptr<Loss> make(const WeightedSumOptions& o, Context& context) {
  return std::make_shared<WeightedSum>(o, context);
}

}  // namespace
}  // namespace kinema::losses

KINEMA_PLUGIN("weighted_sum", "1.0", "a loss made of losses") {
  registrar.add<kinema::Loss>("weighted_sum", "several losses, each with a factor", kinema::losses::options(),
                              kinema::losses::make);
}
