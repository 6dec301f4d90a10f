#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinema/export.h"
#include "kinema/module.h"

namespace kinema {

// One batch as a model sees it, on the model's device.
struct KINEMA_API ClipBatch {
  std::map<std::string, at::Tensor>
      clips;         // by modality: float [N, C, T, H, W], normalised, channels-last memory
  at::Tensor boxes;  // [R, 5]: batch index, x1, y1, x2, y2 in input pixels; detection only

  // The clip of a modality; throws Error(plugin) that lists what there is.
  const at::Tensor& clip(const std::string& modality) const;
  const at::Tensor& rgb() const { return clip("rgb"); }
};

struct Output {
  at::Tensor
      logits;  // [N, classes], or [R, classes] with boxes; before any activation, in train and eval mode
  // For a loss that knows them. "probabilities" in eval mode, shaped as the logits, is what an evaluation
  // averages over views instead of the softmax of the logits.
  std::map<std::string, at::Tensor> extra;
};

// A video network. Pathways are its own matter: it gets the whole clip and selects the slow frames itself.
class KINEMA_API Model : public Module {
 public:
  static constexpr std::string_view kKind = "model";
  ~Model() override;
  // [every rank] Runs in train and eval mode, on any device, in float32, float64 and under autocast.
  virtual Output forward(const ClipBatch& batch) = 0;
};

// Abilities, asked for with dynamic_cast.

// How other programs name the same weights: a checkpoint key is rewritten by the rules in order.
struct KeyMap {
  std::string name;                                           // "torchvision"
  std::vector<std::pair<std::string, std::string>> rewrites;  // ECMAScript regular expression, replacement
  // Tensors of the model that the other program does not have, and what to fill them with: a regular
  // expression of their names, a value. A batch norm that the other has not is one of weight 1, bias 0, mean
  // 0, variance 1.
  std::vector<std::pair<std::string, double>> constants = {};
};
struct KINEMA_API HasKeyMaps {
  virtual ~HasKeyMaps();
  virtual std::vector<KeyMap> checkpoint_key_maps() const = 0;
};

// A network whose classifier stands behind maps that another head may use as well.
//   auto* backbone = dynamic_cast<HasFeatures*>(model.get());
//   model->erase(backbone->head());  // its parameters are not wanted
struct KINEMA_API HasFeatures {
  virtual ~HasFeatures();
  // The maps before any pooling by the head, one for each pathway: [N, channels, T, H, W], or [N, channels]
  // of a network that has only a vector. Runs with and without the head. Threads and ranks as
  // Model::forward().
  virtual std::vector<at::Tensor> features(const ClipBatch& batch) = 0;
  virtual std::vector<std::int64_t> feature_channels() const = 0;
  // Path of the classifier, the part whose shape depends on the number of classes: "fc", "head".
  virtual std::string head() const = 0;
};

// Learning rate or weight decay of its own for some parameters: longest prefix of the parameter name wins.
struct ParamRule {
  std::string prefix;
  double lr_scale = 1;
  double weight_decay_scale = 1;
};
struct KINEMA_API HasParamRules {
  virtual ~HasParamRules();
  virtual std::vector<ParamRule> param_rules() const = 0;
};

}  // namespace kinema
