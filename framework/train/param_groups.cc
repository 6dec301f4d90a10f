#include "framework/train/param_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "framework/infer/loss_state.h"
#include "framework/train/freeze.h"

namespace kinema::train {
namespace {

ParamRule rule_for(const std::vector<ParamRule>& rules, const std::string& name) {
  ParamRule best;
  for (const ParamRule& rule : rules)
    if (name.starts_with(rule.prefix) && rule.prefix.size() >= best.prefix.size()) best = rule;
  return best;
}

// The [[optimizer.group]] of each parameter that has one.
std::map<std::string, config::GroupOptions> given_groups(const Model& model,
                                                         const config::OptimizerSection& section) {
  std::map<std::string, config::GroupOptions> given;
  for (std::size_t i = 0; i < section.groups.size(); ++i)
    for (const NamedTensor& parameter : parameters_found(section.groups[i].parameters, model,
                                                         fmt::format("optimizer.group[{}].parameters", i)))
      given[parameter.name] = section.groups[i];
  return given;
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
  const std::map<std::string, config::GroupOptions> given = given_groups(model, section);
  std::vector<ParamRule> rules;
  if (const auto* own = dynamic_cast<const HasParamRules*>(&model)) rules = own->param_rules();
  for (const NamedTensor& parameter : model.parameters()) {
    ParamRule rule = rule_for(rules, parameter.name);
    if (const auto group = given.find(parameter.name); group != given.end()) {
      rule.lr_scale *= group->second.lr_scale;
      rule.weight_decay_scale *= group->second.weight_decay_scale;
    }
    add(parameter, rule);
  }
  if (loss)
    for (const NamedTensor& parameter : loss->parameters())
      add({infer::kLossPrefix + parameter.name, parameter.tensor}, {});
  return groups;
}

}  // namespace kinema::train
