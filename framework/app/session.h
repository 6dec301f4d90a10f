#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "framework/app/commands.h"
#include "framework/config/experiment.h"
#include "framework/eval/assembly.h"
#include "framework/plugin/registry.h"
#include "kinema/model.h"

namespace kinema::app {

// The registry with the host's own components and the libraries of the search path.
std::shared_ptr<plugin::Registry> open_registry(const std::vector<std::filesystem::path>& plugins);

// Throws Error(usage) unless `kind` is a kind of component.
void check_kind(const std::string& kind);

// An experiment, checked against the components that its plugins bring.
struct Session {
  std::shared_ptr<plugin::Registry> registry;
  config::Experiment experiment;
};
Session open_session(const ExperimentArguments& arguments);
// The experiment that a checkpoint carries, with changes.
Session open_session(const Value& resolved, const std::vector<std::string>& overrides);

// The model that the arguments name, freshly drawn. `session.experiment.model` is set.
struct ModelSession {
  Session session;
  std::vector<std::string> classes;
  std::shared_ptr<Model> model;
};
// Whether the weights that [model] names are loaded.
enum class StartWeights { loaded, ignored };
ModelSession open_model(const ModelArguments& arguments, StartWeights weights = StartWeights::loaded);

}  // namespace kinema::app
