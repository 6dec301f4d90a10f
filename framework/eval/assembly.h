#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/config/experiment.h"
#include "framework/data/loader.h"
#include "framework/data/transform_list.h"
#include "framework/plugin/registry.h"
#include "kinema/dataset.h"
#include "kinema/loss.h"
#include "kinema/metric.h"
#include "kinema/model.h"

// From the sections of an experiment to the objects that they name: what evaluation and inference need.
namespace kinema::eval {

// Where lines for the user go while things are built.
struct Lines {
  std::function<void(std::string_view)> info = [](std::string_view) {};
  std::function<void(std::string_view)> warn = [](std::string_view) {};
  // Files of the section `where` that are not there.
  std::function<void(const std::string& where, const std::vector<std::string>& files)> missing =
      [](const std::string&, const std::vector<std::string>&) {};
};

// Everything that building a component takes. Borrowed by the functions below, for the call.
struct Workshop {
  const config::Experiment& experiment;
  const plugin::Registry& registry;
  std::vector<std::string> classes;  // empty while data sets are built
  Lines lines;
  std::int64_t num_classes = 0;  // where there are no names; 0: classes.size()

  // The facts that factories may ask for; `where` names the section.
  plugin::MakeContext context(std::string where) const;
  template <class Kind, class Tag>
  std::shared_ptr<Kind> make(const Component<Tag>& component, const std::string& where) const {
    return registry.make<Kind>(component.type, component.options, context(where));
  }
};

// [data.val]; null when the section is missing.
std::shared_ptr<Dataset> make_eval_set(const Workshop& workshop);

// Builds the transforms of a list. Keeps what it was given: the workshop must outlive it.
data::MakeTransform transform_maker(const Workshop& workshop);

// The model with freshly drawn weights (a function of the seed), or with those that [model] names, on the
// device.
std::shared_ptr<Model> make_model(const Workshop& workshop, const at::Device& device);
std::shared_ptr<Loss> make_loss(const Workshop& workshop, const at::Device& device);
// accuracy, mean_class, then those that the file adds; where the evaluated set (which may be null) has
// boxes, frame_map instead of the first two, unless the file lists it. Throws Error(usage) where two of them
// give a value of the same name: one would silently hide the other; and for a metric of clips where boxes are
// measured, or the other way round.
std::vector<std::shared_ptr<Metric>> make_metrics(const Workshop& workshop, const Dataset* evaluated);
// "train/loss", "val/loss" and every metric's names.
std::vector<std::string> known_metrics(const std::vector<std::shared_ptr<Metric>>& metrics);

// Every item of `dataset` with all its views, once.
data::LoaderSetup eval_loader_setup(const Workshop& workshop, std::shared_ptr<const Dataset> dataset);
std::int64_t worker_count(const config::LoaderOptions& loader);

// The device that [trainer] device means on this machine. Throws Error(usage) for a device that is not there.
at::Device choose_device(config::Device wanted);

// Seeds torch's default generator of a device: initial weights, then dropout of each micro-batch.
void seed_generator(const at::Device& device, std::uint64_t seed);

}  // namespace kinema::eval
