#include "framework/train/param_groups.h"

#include <algorithm>
#include <string>

#include "framework/infer/loss_state.h"

namespace kinema::train {
namespace {

ParamRule rule_for(const std::vector<ParamRule>& rules, const std::string& name) {
  ParamRule best;
  for (const ParamRule& rule : rules)
    if (name.starts_with(rule.prefix) && rule.prefix.size() >= best.prefix.size()) best = rule;
  return best;
}

}  // namespace

std::vector<ParamGroup> make_param_groups(const Model& model, const Loss* loss,
                                          const config::OptimizerSection& section) {
  std::vector<ParamGroup> groups;
  const auto add = [&](const NamedTensor& parameter, const ParamRule& rule) {
    if (!parameter.tensor.requires_grad()) return;
    const bool decays = section.decay_norm_and_bias || parameter.tensor.dim() > 1;
    const double decay = decays ? section.weight_decay * rule.weight_decay_scale : 0;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const ParamGroup& g) {
      return g.lr_scale == rule.lr_scale && g.weight_decay == decay;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), ParamGroup{{}, rule.lr_scale, decay});
    group->parameters.push_back(parameter);
  };
  std::vector<ParamRule> rules;
  if (const auto* own = dynamic_cast<const HasParamRules*>(&model)) rules = own->param_rules();
  for (const NamedTensor& parameter : model.parameters()) add(parameter, rule_for(rules, parameter.name));
  if (loss)
    for (const NamedTensor& parameter : loss->parameters())
      add({infer::kLossPrefix + parameter.name, parameter.tensor}, {});
  return groups;
}

}  // namespace kinema::train
