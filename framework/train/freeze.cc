#include "framework/train/freeze.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "kinema/layers.h"
#include "kinema/suggest.h"

namespace kinema::train {
namespace {

// "layer1.0.conv1.weight": layer1, layer1.0, layer1.0.conv1, the whole.
std::vector<std::string> path_parts(const std::vector<NamedTensor>& parameters) {
  std::vector<std::string> parts;
  for (const NamedTensor& named : parameters)
    for (std::size_t dot = 0; dot != std::string::npos;) {
      dot = named.name.find('.', dot + 1);
      parts.push_back(named.name.substr(0, dot));
    }
  return parts;
}

std::int64_t values_in(const std::vector<NamedTensor>& parameters, bool learning) {
  std::int64_t count = 0;
  for (const NamedTensor& named : parameters)
    if (named.tensor.requires_grad() == learning) count += named.tensor.numel();
  return count;
}

}  // namespace

std::vector<NamedTensor> parameters_found(const std::string& expression, const Model& model,
                                          const std::string& where) {
  const std::regex regex(expression);
  const std::vector<NamedTensor> all = model.parameters();
  std::vector<NamedTensor> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const NamedTensor& named) { return std::regex_search(named.name, regex); });
  if (!found.empty()) return found;
  const std::string meant = did_you_mean(expression, path_parts(all));
  throw Error(
      ErrorKind::usage, where,
      fmt::format("finds no parameter: expected a regular expression found in one of {} names, got \"{}\"",
                  all.size(), expression),
      meant.empty() ? "kinema model summary lists the names" : meant);
}

std::string freeze_parameters(Model& model, const config::WeightsOptions& options) {
  if (options.freeze.empty()) return {};
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < options.freeze.size(); ++i) try {
      for (NamedTensor& named :
           parameters_found(options.freeze[i], model, fmt::format("model.freeze[{}]", i)))
        named.tensor.set_requires_grad(false);
    } catch (const Error& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  const std::vector<NamedTensor> all = model.parameters();
  const auto frozen = std::count_if(all.begin(), all.end(),
                                    [](const NamedTensor& named) { return !named.tensor.requires_grad(); });
  if (problems.empty() && frozen == static_cast<std::ptrdiff_t>(all.size()))
    problems.push_back(
        {"model.freeze",
         fmt::format("nothing learns: expected a parameter that is not frozen, got all {} frozen",
                     all.size()),
         {},
         {}});
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
  return fmt::format("frozen: {} of {} parameters ({} of {} values)", frozen, all.size(),
                     values_in(all, false), values_in(all, false) + values_in(all, true));
}

void hold_norms(Model& model, bool all) {
  for (const Module::NamedModule& named : model.modules()) {
    auto* norm = dynamic_cast<BatchNorm*>(named.module);
    if (norm == nullptr) continue;
    const auto learns = [](const NamedTensor& parameter) { return parameter.tensor.requires_grad(); };
    const std::vector<NamedTensor> own = norm->parameters();
    if (all || std::none_of(own.begin(), own.end(), learns)) norm->train(false);
  }
}

}  // namespace kinema::train
