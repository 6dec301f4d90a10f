#include "framework/train/param_groups.h"

#include <algorithm>
#include <string>

namespace kinema::train {
namespace {

ParamRule rule_for(const std::vector<ParamRule>& rules, const std::string& name) {
  ParamRule best;
  for (const ParamRule& rule : rules)
    if (name.starts_with(rule.prefix) && rule.prefix.size() >= best.prefix.size()) best = rule;
  return best;
}

}  // namespace

std::vector<ParamGroup> make_param_groups(const Model& model, const config::OptimizerSection& section) {
  std::vector<ParamRule> rules;
  if (const auto* own = dynamic_cast<const HasParamRules*>(&model)) rules = own->param_rules();
  std::vector<ParamGroup> groups;
  for (const NamedTensor& parameter : model.parameters()) {
    if (!parameter.tensor.requires_grad()) continue;
    const ParamRule rule = rule_for(rules, parameter.name);
    const bool decays = section.decay_norm_and_bias || parameter.tensor.dim() > 1;
    const double decay = decays ? section.weight_decay * rule.weight_decay_scale : 0;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const ParamGroup& g) {
      return g.lr_scale == rule.lr_scale && g.weight_decay == decay;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), ParamGroup{{}, rule.lr_scale, decay});
    group->parameters.push_back(parameter);
  }
  return groups;
}

}  // namespace kinema::train
