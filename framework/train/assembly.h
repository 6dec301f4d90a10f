#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/config/experiment.h"
#include "framework/data/loader.h"
#include "framework/plugin/registry.h"
#include "framework/train/trainer.h"
#include "kinema/dataset.h"

// From an experiment's sections to the objects that they name.
namespace kinema::train {

// Where lines for the user go while things are built.
struct Lines {
  std::function<void(std::string_view)> info = [](std::string_view) {};
  std::function<void(std::string_view)> warn = [](std::string_view) {};
};

// The experiment's data sets; `eval` is null without [data.val].
struct DataSets {
  std::shared_ptr<Dataset> train, eval;
  std::vector<std::string> classes;
};

// Builds both data sets and checks that they agree on their classes.
DataSets open_data_sets(const config::Experiment& experiment, const plugin::Registry& registry,
                        const Lines& lines);
// The evaluation data set alone: eval and predict need no training data.
std::shared_ptr<Dataset> open_eval_set(const config::Experiment& experiment, const plugin::Registry& registry,
                                       const Lines& lines);

// The facts that factories may ask for.
plugin::MakeContext make_context(const config::Experiment& experiment,
                                 const std::vector<std::string>& classes, std::string where,
                                 const Lines& lines);

// Builds the transforms of a list.
data::MakeTransform transform_maker(const config::Experiment& experiment, const plugin::Registry& registry,
                                    const Lines& lines);

// The model on the device, in channels-last-3d memory, with the weights that [model] names.
std::shared_ptr<Model> make_model(const config::Experiment& experiment, const plugin::Registry& registry,
                                  const std::vector<std::string>& classes, const at::Device& device,
                                  const Lines& lines);

std::vector<std::shared_ptr<Metric>> make_metrics(const config::Experiment& experiment,
                                                  const plugin::Registry& registry,
                                                  const std::vector<std::string>& classes,
                                                  const Lines& lines);
std::shared_ptr<Loss> make_loss(const config::Experiment& experiment, const plugin::Registry& registry,
                                const std::vector<std::string>& classes, const at::Device& device,
                                const Lines& lines);

data::LoaderSetup train_loader_setup(const config::Experiment& experiment, const plugin::Registry& registry,
                                     const DataSets& sets, const Lines& lines);
data::LoaderSetup eval_loader_setup(const config::Experiment& experiment, const plugin::Registry& registry,
                                    std::shared_ptr<const Dataset> dataset, const Lines& lines);

// Everything that a trainer needs. The feeds own their loaders. Checks monitors before anything heavy is
// built.
Parts assemble(const config::Experiment& experiment, const plugin::Registry& registry, const DataSets& sets,
               const at::Device& device, const std::optional<std::filesystem::path>& ledger,
               const Lines& lines);

// "train/loss", "val/loss" and every metric's names.
std::vector<std::string> known_metrics(const std::vector<std::shared_ptr<Metric>>& metrics);

// The device that [trainer] device means on this machine. Throws Error(usage) for a device that is not there.
at::Device choose_device(config::Device wanted);

}  // namespace kinema::train
