#include "framework/app/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "framework/app/console.h"
#include "framework/config/layers.h"
#include "framework/data/transforms.h"
#include "framework/eval/builtin_metrics.h"
#include "framework/plugin/kinds.h"
#include "framework/plugin/search_path.h"
#include "framework/train/builtin_optimizers.h"
#include "kinema/error.h"
#include "kinema/suggest.h"

namespace kinema::app {
namespace {

// A type that is unknown because its library was refused is the library's fault: the reasons come along.
Error with_refusals(const Error& error, const plugin::Registry& registry) {
  std::vector<Problem> problems = error.problems();
  bool refused = false;
  for (const plugin::Library& library : registry.libraries()) {
    const std::string wanted = fmt::format("got \"{}\"", std::filesystem::path(library.path).stem().string());
    const bool named =
        std::any_of(error.problems().begin(), error.problems().end(), [&](const Problem& problem) {
          return problem.what.starts_with("unknown ") && problem.what.ends_with(wanted);
        });
    if (library.loaded() || !named) continue;
    refused = true;
    problems.insert(problems.end(), library.reasons.begin(), library.reasons.end());
  }
  return refused ? Error(ErrorKind::plugin, std::move(problems)) : error;
}

Session parse(config::Layers layers) {
  remember_sources(layers.sources);
  layers.require_complete();
  Session session;
  session.registry = open_registry(layers.plugins);
  try {
    session.experiment = config::parse_experiment(layers, session.registry.get());
  } catch (const Error& error) {
    throw with_refusals(error, *session.registry);
  }
  return session;
}

}  // namespace

std::shared_ptr<plugin::Registry> open_registry(const std::vector<std::filesystem::path>& plugins) {
  auto registry = std::make_shared<plugin::Registry>();
  registry->register_builtins(data::register_builtin_transforms);
  registry->register_builtins(eval::register_builtin_metrics);
  registry->register_builtins(train::register_builtin_optimizers);
  const plugin::SearchResult search = plugin::find_libraries(plugin::search_path(plugins));
  if (!search.errors.empty()) throw Error(ErrorKind::plugin, search.errors);
  registry->load(search);
  return registry;
}

void check_kind(const std::string& kind) {
  std::vector<std::string> known;
  for (const plugin::KindPlace& place : plugin::kKinds) known.emplace_back(place.kind);
  if (std::find(known.begin(), known.end(), kind) != known.end()) return;
  throw Error(ErrorKind::usage, "command line",
              fmt::format("unknown kind: expected {}, got \"{}\"", one_of_text(known), kind),
              did_you_mean(kind, known));
}

Session open_session(const ExperimentArguments& arguments) {
  return parse(config::read_layers(arguments.file, arguments.overrides));
}

Session open_session(const Value& resolved, const std::vector<std::string>& overrides) {
  return parse(config::read_overrides(overrides, resolved));
}

ModelSession open_model(const ModelArguments& arguments, StartWeights weights) {
  const bool has_file = !arguments.experiment.file.empty();
  if (has_file == !arguments.preset.empty())
    throw Error(ErrorKind::usage, "command line",
                "which model? expected an experiment file or --preset, got " +
                    std::string(has_file ? "both" : "neither"));
  ModelSession opened;
  std::int64_t num_classes = 0;
  if (has_file) {
    opened.session = open_session(arguments.experiment);
    const eval::Workshop workshop{opened.session.experiment, *opened.session.registry, {}, console_lines()};
    opened.classes = workshop.make<Dataset>(opened.session.experiment.train_data, "data.train")->classes();
  } else {
    opened.session.registry = open_registry({});
    const plugin::FoundPreset found = opened.session.registry->find_preset(arguments.preset);
    opened.session.experiment.model.type = found.component->type;
    opened.session.experiment.model.options.set("preset", Value(arguments.preset));
    num_classes = arguments.classes;
  }
  if (weights == StartWeights::ignored) opened.session.experiment.start.weights.reset();
  const eval::Workshop workshop{opened.session.experiment, *opened.session.registry, opened.classes,
                                console_lines(), num_classes};
  opened.model = eval::make_model(workshop, at::kCPU);
  return opened;
}

}  // namespace kinema::app
