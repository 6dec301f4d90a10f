#include "framework/eval/assembly.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "framework/checkpoint/weights.h"
#include "framework/data/check.h"
#include "framework/data/recipe.h"
#include "framework/data/sampler.h"
#include "framework/weights/fit.h"
#include "kinema/error.h"

namespace kinema::eval {

std::shared_ptr<Dataset> make_eval_set(const Workshop& workshop) {
  const Component<Dataset>& section = workshop.experiment.eval_data;
  return section ? workshop.make<Dataset>(section, "data.val") : nullptr;
}

data::MakeTransform transform_maker(const Workshop& workshop) {
  return [&workshop](const Component<Transform>& component) {
    return workshop.make<Transform>(component, "transform");
  };
}

namespace {

// True when the options are those of the preset, whatever they say besides: its name is gone once it was
// merged.
bool is_preset(const Value& options, const Preset& preset) {
  const auto& entries = preset.options.as_table();
  return std::all_of(entries.begin(), entries.end(), [&](const Value::Entry& entry) {
    const Value* own = options.find(entry.key);
    return own != nullptr && own->text() == entry.value.text();
  });
}

// The published weights of the model's presets, as a hint where a file is not there.
std::string published(const Workshop& workshop) {
  const Component<config::ModelTag>& model = workshop.experiment.model;
  const ComponentInfo* info = workshop.registry.find("model", model.type);
  std::vector<std::string> files;
  for (const Preset& preset : info == nullptr ? std::vector<Preset>() : info->presets)
    if (!preset.weights.empty() && is_preset(model.options, preset))
      files.push_back(
          fmt::format("the weights of {} as {} ({})", preset.name, preset.weights, preset.weights_from));
  return files.empty() ? "" : fmt::format("published are {}", fmt::join(files, ", "));
}

void load_weights(const Workshop& workshop, Model& model, const std::filesystem::path& file,
                  const weights::FitOptions& options) {
  checkpoint::Weights read = checkpoint::load_weights(checkpoint::real_file_system(), file.string());
  workshop.lines.info(fmt::format("weights from {}", read.source));
  for (const std::string& note : weights::load(model, std::move(read), options))
    workshop.lines.info("weights: " + note);
}

void load_start_weights(const Workshop& workshop, Model& model) {
  const config::WeightsOptions& start = workshop.experiment.start;
  if (!std::filesystem::exists(*start.weights))
    throw Error(ErrorKind::data, start.weights->string(),
                "no such file or folder: expected the weights of [model], got nothing there",
                published(workshop));
  load_weights(workshop, model, *start.weights, {.strict = start.strict, .inflation = start.inflation});
}

}  // namespace

plugin::MakeContext Workshop::context(std::string where) const {
  plugin::MakeContext context;
  context.classes = classes;
  context.num_classes = num_classes;
  context.seed = experiment.seed;
  context.where = std::move(where);
  context.info = lines.info;
  context.warn = lines.warn;
  context.missing = [this, place = context.where](const std::vector<std::string>& files) {
    lines.missing(place, files);
  };
  context.load_weights = [this](Model& model, const std::filesystem::path& file) {
    load_weights(*this, model, file, {});
  };
  return context;
}

std::shared_ptr<Model> make_model(const Workshop& workshop, const at::Device& device) {
  seed_generator(at::kCPU, workshop.experiment.seed);
  auto model = workshop.make<Model>(workshop.experiment.model, "model");
  if (workshop.experiment.start.weights) load_start_weights(workshop, *model);
  model->to(device);
  return model;
}

std::shared_ptr<Loss> make_loss(const Workshop& workshop, const at::Device& device) {
  auto loss = workshop.make<Loss>(workshop.experiment.loss, "loss");
  loss->to(device);
  return loss;
}

std::vector<std::shared_ptr<Metric>> make_metrics(const Workshop& workshop, const Dataset* evaluated) {
  const bool boxes = evaluated != nullptr && data::detects(*evaluated);
  std::vector<Component<Metric>> wanted = {{"accuracy"}, {"mean_class"}};
  const auto& added = workshop.experiment.metrics;
  const bool listed =
      std::any_of(added.begin(), added.end(), [](const auto& m) { return m.type == "frame_map"; });
  if (boxes)
    wanted = listed ? std::vector<Component<Metric>>() : std::vector<Component<Metric>>{{"frame_map"}};
  const std::size_t builtin = wanted.size();
  wanted.insert(wanted.end(), added.begin(), added.end());
  std::vector<std::shared_ptr<Metric>> metrics;
  std::map<std::string, std::string> givers = {{"loss", "the loss"}};  // of a value's name
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string where = i < builtin ? "metric" : fmt::format("metric.{}", i - builtin);
    metrics.push_back(workshop.make<Metric>(wanted[i], where));
    if (boxes != (dynamic_cast<MeasuresBoxes*>(metrics.back().get()) != nullptr))
      problems.push_back({where,
                          fmt::format("a metric of other data: expected one that measures {}, got {}",
                                      boxes ? "boxes" : "clips", wanted[i].type),
                          {}});
    const std::string giver = fmt::format("the {}metric {}", i < builtin ? "built-in " : "", wanted[i].type);
    for (const std::string& name : metrics.back()->names())
      if (const auto [taken, fresh] = givers.emplace(name, giver); !fresh)
        problems.push_back({where,
                            fmt::format("value name is taken: expected {} to give a name of its own, got "
                                        "\"{}\", which {} gives",
                                        giver, name, taken->second),
                            "leave one of them out, or choose other options"});
  }
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
  return metrics;
}

std::vector<std::string> known_metrics(const std::vector<std::shared_ptr<Metric>>& metrics) {
  std::vector<std::string> names = {"train/loss", "val/loss"};
  for (const auto& metric : metrics)
    for (const std::string& name : metric->names()) names.push_back("val/" + name);
  return names;
}

data::LoaderSetup eval_loader_setup(const Workshop& workshop, std::shared_ptr<const Dataset> dataset) {
  const config::Experiment& experiment = workshop.experiment;
  data::EvalScheduleOptions schedule;
  schedule.items = dataset->size();
  schedule.temporal_views = experiment.eval_clip.temporal_views;
  schedule.spatial_views = experiment.eval_clip.spatial_crops;
  schedule.batch = experiment.loader.eval_batch > 0 ? experiment.loader.eval_batch : experiment.loader.batch;
  schedule.limit = experiment.trainer.limit_eval;
  data::LoaderSetup setup;
  setup.recipe = std::make_shared<const data::ClipRecipe>(
      data::eval_recipe(experiment, std::move(dataset), transform_maker(workshop)));
  setup.schedule = std::make_shared<data::EvalSchedule>(schedule);
  setup.workers = worker_count(experiment.loader);
  setup.measure = !experiment.loader.workers;
  setup.prefetch = experiment.loader.prefetch;
  setup.stuck_s = experiment.loader.stuck_seconds;
  return setup;
}

std::int64_t worker_count(const config::LoaderOptions& loader) {
  return loader.workers.value_or(data::automatic_workers());
}

at::Device choose_device(config::Device wanted) {
  if (wanted == config::Device::cuda)
    throw Error(ErrorKind::usage, "trainer.device", "no GPU support: expected cpu or auto, got cuda",
                "this build has no GPU module");
  return at::kCPU;
}

void seed_generator(const at::Device& device, std::uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(seed);
}

}  // namespace kinema::eval
