#include "network.h"

#include <sstream>

#include "kinema/error.h"

namespace kinema::two_stream {
namespace {

class TwoStream final : public Model, public HasKeyMaps, public HasParamRules {
 public:
  TwoStream(const FusionRule& rule, std::shared_ptr<Model> rgb, std::shared_ptr<Model> flow)
      : rule_(rule),
        rgb_(child_of<Model>("rgb", std::move(rgb))),
        flow_(child_of<Model>("flow", std::move(flow))) {}

  Output forward(const ClipBatch& batch) override;
  std::vector<KeyMap> checkpoint_key_maps() const override;
  std::vector<ParamRule> param_rules() const override;

 private:
  FusionRule rule_;
  Child<Model> rgb_, flow_;
};

// Nothing but the clips of its modality, so that no stream can read the other's.
ClipBatch only(const ClipBatch& batch, const std::string& modality) {
  return {{{modality, batch.clip(modality)}}, batch.boxes};
}

void check_classes(const at::Tensor& rgb, const at::Tensor& flow) {
  if (rgb.sizes() == flow.sizes()) return;
  std::ostringstream wrong;
  wrong << "streams of different classes: expected logits of one shape, got " << rgb.sizes() << " of rgb and "
        << flow.sizes() << " of flow";
  throw Error(ErrorKind::plugin, "two_stream", wrong.str());
}

at::Tensor probabilities_of(const Output& output, blocks::HeadActivation activation) {
  const auto own = output.extra.find("probabilities");
  return own != output.extra.end() ? own->second : blocks::activate(output.logits, activation);
}

Output TwoStream::forward(const ClipBatch& batch) {
  const Output rgb = rgb_->forward(only(batch, "rgb")), flow = flow_->forward(only(batch, "flow"));
  check_classes(rgb.logits, flow.logits);
  Output output{fuse_logits(rgb.logits, flow.logits, rule_),
                {{"rgb_logits", rgb.logits}, {"flow_logits", flow.logits}}};
  if (training()) return output;
  output.extra["probabilities"] = rule_.fusion == Fusion::logits
                                      ? blocks::activate(output.logits, rule_.activation)
                                      : fuse_probabilities(probabilities_of(rgb, rule_.activation),
                                                           probabilities_of(flow, rule_.activation), rule_);
  return output;
}

// A pattern for names of the stream, as one for the same names behind the stream's own.
std::string under(const std::string& stream, const std::string& pattern) {
  return pattern.starts_with('^') ? "^" + stream + "\\." + pattern.substr(1)
                                  : "^" + stream + "\\..*" + pattern;
}

// "rgb/pytorch-i3d": a file of that program fills one stream.
std::vector<KeyMap> TwoStream::checkpoint_key_maps() const {
  std::vector<KeyMap> all;
  for (const auto& [name, model] : {std::pair{"rgb", &*rgb_}, std::pair{"flow", &*flow_}}) {
    const auto* own = dynamic_cast<const HasKeyMaps*>(model);
    for (KeyMap map : own ? own->checkpoint_key_maps() : std::vector<KeyMap>()) {
      map.name = std::string(name) + "/" + map.name;
      map.rewrites.push_back({"^(.+)$", std::string(name) + ".$1"});
      for (auto& [pattern, value] : map.constants) pattern = under(name, pattern);
      all.push_back(std::move(map));
    }
  }
  return all;
}

std::vector<ParamRule> TwoStream::param_rules() const {
  std::vector<ParamRule> all;
  for (const auto& [name, model] : {std::pair{"rgb", &*rgb_}, std::pair{"flow", &*flow_}}) {
    const auto* own = dynamic_cast<const HasParamRules*>(model);
    for (ParamRule rule : own ? own->param_rules() : std::vector<ParamRule>()) {
      rule.prefix = std::string(name) + "." + rule.prefix;
      all.push_back(std::move(rule));
    }
  }
  return all;
}

}  // namespace

std::shared_ptr<Model> make_two_stream(const FusionRule& rule, std::shared_ptr<Model> rgb,
                                       std::shared_ptr<Model> flow) {
  return std::make_shared<TwoStream>(rule, std::move(rgb), std::move(flow));
}

}  // namespace kinema::two_stream
