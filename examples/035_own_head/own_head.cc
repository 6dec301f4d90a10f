#include <ATen/ops/cat.h>

#include "kinema/layers.h"
#include "kinema/model.h"
#include "kinema/plugin.h"

namespace {

using namespace kinema;

struct OwnHeadOptions {
  Component<Model> backbone;
  std::int64_t hidden = 64;
  double dropout = 0.2;
};

// Any network of kinema with a head of two layers in place of its own.
class OwnHead final : public Model, public HasKeyMaps {
 public:
  OwnHead(const std::shared_ptr<Model>& network, const OwnHeadOptions& o, std::int64_t classes)
      : maps_(dynamic_cast<HasFeatures*>(network.get())) {
    if (maps_ == nullptr)
      throw Error(ErrorKind::usage, "model.backbone",
                  "no feature maps: expected a model that gives them, got " + o.backbone.type);
    network->erase(maps_->head());
    backbone_ = child_of<Model>("backbone", network);
    std::int64_t channels = 0;
    for (const std::int64_t of_pathway : maps_->feature_channels()) channels += of_pathway;
    head_ = child<Sequential>("head");
    head_->add(std::make_shared<Linear>(channels, o.hidden))
        .add(std::make_shared<Activation>(ActivationKind::gelu))
        .add(std::make_shared<Dropout>(o.dropout))
        .add(std::make_shared<Linear>(o.hidden, classes));
  }

  Output forward(const ClipBatch& batch) override {
    std::vector<at::Tensor> vectors;
    for (const at::Tensor& map : maps_->features(batch)) vectors.push_back(map.flatten(2).mean(2));
    return {head_(at::cat(vectors, 1)), {}};
  }

  // Weights of the backbone alone: with strict = false, as the new head is in no file.
  std::vector<KeyMap> checkpoint_key_maps() const override { return {{"backbone", {{"^", "backbone."}}}}; }

 private:
  HasFeatures* maps_;  // the backbone
  Child<Model> backbone_;
  Child<Sequential> head_;
};

Options<OwnHeadOptions> options() {
  using O = OwnHeadOptions;
  return Options<O>()
      .add("backbone", &O::backbone, "the network whose maps are classified")
      .required()
      .add("hidden", &O::hidden, "width of the hidden layer", at_least(1))
      .add("dropout", &O::dropout, "probability before the classifier", between(0, 1));
}

std::shared_ptr<Model> make(const OwnHeadOptions& o, Context& context) {
  return std::make_shared<OwnHead>(context.make(o.backbone), o, context.num_classes());
}

}  // namespace

KINEMA_PLUGIN("own_head", "1.0", "a head of your own on any backbone") {
  registrar.add<Model>("own_head", "two layers on the maps of a backbone", options(), make);
}
