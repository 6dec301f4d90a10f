#include "framework/train/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/checkpoint/weights.h"
#include "framework/data/recipe.h"
#include "framework/data/sampler.h"
#include "framework/train/param_groups.h"
#include "framework/train/seeding.h"
#include "kinema/error.h"

namespace kinema::train {
namespace {

template <class Kind, class Tag>
std::shared_ptr<Kind> make(const Component<Tag>& component, const plugin::Registry& registry,
                           const plugin::MakeContext& context) {
  return registry.make<Kind>(component.type, component.options, context);
}

std::int64_t worker_count(const config::LoaderOptions& loader) {
  return loader.workers.value_or(data::automatic_workers());
}

[[noreturn]] void classes_differ(const std::vector<std::string>& train,
                                 const std::vector<std::string>& eval) {
  throw Error(ErrorKind::data, "data.val",
              fmt::format("other classes than data.train: expected {} ({}), got {} ({})", train.size(),
                          fmt::join(train, ", "), eval.size(), fmt::join(eval, ", ")),
              "both data sets must name the same classes in the same order");
}

TrainFeed train_feed(data::LoaderSetup setup) {
  auto schedule = setup.schedule;
  auto loader = std::make_shared<data::Loader>(std::move(setup));
  TrainFeed feed;
  feed.batches = schedule->batches();
  feed.clips = [schedule](std::int64_t batch) { return schedule->clips(batch); };
  feed.start = [loader](std::int64_t epoch, std::int64_t batch) { loader->start(epoch, batch); };
  feed.next = [loader] { return loader->next(); };
  feed.waited_s = [loader] { return loader->stats().wait_s; };
  return feed;
}

EvalFeed eval_feed(data::LoaderSetup setup, std::int64_t views) {
  EvalFeed feed;
  feed.views = views;
  for (std::int64_t batch = 0; batch < setup.schedule->batches(); ++batch)
    feed.clips += setup.schedule->clips(batch);
  auto loader = std::make_shared<data::Loader>(std::move(setup));
  feed.start = [loader] { loader->start(0); };
  feed.next = [loader] { return loader->next(); };
  return feed;
}

// A callback's or the trainer's monitor that no metric will ever deliver is found before anything heavy
// starts.
void check_monitors(const config::Experiment& experiment, const Parts& parts) {
  const std::vector<std::string> known = known_metrics(parts.metrics);
  std::vector<Problem> problems;
  const auto check = [&](const std::string& where, const std::string& monitor) {
    if (std::find(known.begin(), known.end(), monitor) == known.end())
      problems.push_back({where, fmt::format("unknown metric: expected one of {}, got \"{}\"",
                                             fmt::join(known, ", "), monitor)});
  };
  if (parts.eval.start) check("trainer.monitor", experiment.trainer.monitor);
  for (std::size_t i = 0; i < parts.callbacks.size(); ++i)
    for (const std::string& monitor : parts.callbacks[i].callback->monitors())
      check(fmt::format("callback.{}.monitor", i), monitor);
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
}

}  // namespace

plugin::MakeContext make_context(const config::Experiment& experiment,
                                 const std::vector<std::string>& classes, std::string where,
                                 const Lines& lines) {
  plugin::MakeContext context;
  context.classes = classes;
  context.seed = experiment.seed;
  context.where = std::move(where);
  context.info = lines.info;
  context.warn = lines.warn;
  return context;
}

data::MakeTransform transform_maker(const config::Experiment& experiment, const plugin::Registry& registry,
                                    const Lines& lines) {
  return [&experiment, &registry, lines](const Component<Transform>& component) {
    return make<Transform>(component, registry, make_context(experiment, {}, "transform", lines));
  };
}

std::shared_ptr<Dataset> open_eval_set(const config::Experiment& experiment, const plugin::Registry& registry,
                                       const Lines& lines) {
  if (!experiment.eval_data) return nullptr;
  return make<Dataset>(experiment.eval_data, registry, make_context(experiment, {}, "data.val", lines));
}

DataSets open_data_sets(const config::Experiment& experiment, const plugin::Registry& registry,
                        const Lines& lines) {
  DataSets sets;
  sets.train =
      make<Dataset>(experiment.train_data, registry, make_context(experiment, {}, "data.train", lines));
  sets.eval = open_eval_set(experiment, registry, lines);
  sets.classes = sets.train->classes();
  if (sets.eval && sets.eval->classes() != sets.classes) classes_differ(sets.classes, sets.eval->classes());
  return sets;
}

std::shared_ptr<Model> make_model(const config::Experiment& experiment, const plugin::Registry& registry,
                                  const std::vector<std::string>& classes, const at::Device& device,
                                  const Lines& lines) {
  seed_generator(at::kCPU, experiment.seed);
  auto model = make<Model>(experiment.model, registry, make_context(experiment, classes, "model", lines));
  if (experiment.weights) {
    const auto weights =
        checkpoint::load_weights(checkpoint::real_file_system(), experiment.weights->string());
    model->load_state(weights.tensors);
    lines.info(fmt::format("weights from {}", weights.source));
  }
  model->to(device);
  return model;
}

std::vector<std::shared_ptr<Metric>> make_metrics(const config::Experiment& experiment,
                                                  const plugin::Registry& registry,
                                                  const std::vector<std::string>& classes,
                                                  const Lines& lines) {
  std::vector<Component<Metric>> wanted = {{"accuracy", Value::table()}, {"mean_class", Value::table()}};
  wanted.insert(wanted.end(), experiment.metrics.begin(), experiment.metrics.end());
  std::vector<std::shared_ptr<Metric>> metrics;
  for (const Component<Metric>& metric : wanted)
    metrics.push_back(make<Metric>(metric, registry, make_context(experiment, classes, "metric", lines)));
  return metrics;
}

std::shared_ptr<Loss> make_loss(const config::Experiment& experiment, const plugin::Registry& registry,
                                const std::vector<std::string>& classes, const at::Device& device,
                                const Lines& lines) {
  auto loss = make<Loss>(experiment.loss, registry, make_context(experiment, classes, "loss", lines));
  loss->to(device);
  return loss;
}

data::LoaderSetup train_loader_setup(const config::Experiment& experiment, const plugin::Registry& registry,
                                     const DataSets& sets, const Lines& lines) {
  const bool overfit = experiment.trainer.overfit_batches > 0;
  const data::MakeTransform maker = transform_maker(experiment, registry, lines);
  data::LoaderSetup setup;
  auto recipe = overfit ? data::eval_recipe(experiment, sets.train, maker)
                        : data::train_recipe(experiment, sets.train, maker);
  if (const std::string warning = data::directional_warning(recipe.transforms, sets.classes);
      !warning.empty())
    lines.warn(warning);
  data::TrainScheduleOptions schedule;
  schedule.items = sets.train->size();
  schedule.clips_per_video = overfit ? 1 : experiment.train_clip.clips_per_video;
  schedule.batch = experiment.loader.batch;
  schedule.seed = experiment.seed;
  schedule.shuffle = experiment.loader.shuffle && !overfit;
  schedule.drop_last = experiment.loader.drop_last;
  schedule.limit = overfit ? experiment.trainer.overfit_batches : experiment.trainer.limit_train;
  setup.recipe = std::make_shared<const data::ClipRecipe>(std::move(recipe));
  setup.schedule = std::make_shared<data::TrainSchedule>(schedule);
  setup.workers = worker_count(experiment.loader);
  setup.prefetch = experiment.loader.prefetch;
  setup.max_bad_fraction = experiment.loader.max_bad_fraction;
  return setup;
}

data::LoaderSetup eval_loader_setup(const config::Experiment& experiment, const plugin::Registry& registry,
                                    std::shared_ptr<const Dataset> dataset, const Lines& lines) {
  data::EvalScheduleOptions schedule;
  schedule.items = dataset->size();
  schedule.temporal_views = experiment.eval_clip.temporal_views;
  schedule.spatial_views = experiment.eval_clip.spatial_crops;
  schedule.batch = experiment.loader.eval_batch > 0 ? experiment.loader.eval_batch : experiment.loader.batch;
  schedule.limit = experiment.trainer.limit_eval;
  data::LoaderSetup setup;
  setup.recipe = std::make_shared<const data::ClipRecipe>(
      data::eval_recipe(experiment, std::move(dataset), transform_maker(experiment, registry, lines)));
  setup.schedule = std::make_shared<data::EvalSchedule>(schedule);
  setup.workers = worker_count(experiment.loader);
  setup.prefetch = experiment.loader.prefetch;
  return setup;
}

Parts assemble(const config::Experiment& experiment, const plugin::Registry& registry, const DataSets& sets,
               const at::Device& device, const std::optional<std::filesystem::path>& ledger,
               const Lines& lines) {
  Parts parts;
  parts.metrics = make_metrics(experiment, registry, sets.classes, lines);
  for (const Component<Callback>& callback : experiment.callbacks)
    parts.callbacks.push_back(
        {callback.type,
         make<Callback>(callback, registry, make_context(experiment, sets.classes, "callback", lines))});
  data::LoaderSetup train = train_loader_setup(experiment, registry, sets, lines);
  train.ledger = ledger;
  parts.train = train_feed(std::move(train));
  if (sets.eval)
    parts.eval = eval_feed(eval_loader_setup(experiment, registry, sets.eval, lines),
                           data::views_per_item(experiment.eval_clip));
  check_monitors(experiment, parts);
  parts.scheduler = make<Scheduler>(experiment.scheduler.component, registry,
                                    make_context(experiment, sets.classes, "scheduler", lines));
  parts.loss = make_loss(experiment, registry, sets.classes, device, lines);
  parts.model = make_model(experiment, registry, sets.classes, device, lines);
  parts.optimizer = make<Optimizer>(experiment.optimizer.component, registry,
                                    make_context(experiment, sets.classes, "optimizer", lines));
  parts.optimizer->attach(make_param_groups(*parts.model, experiment.optimizer));
  return parts;
}

std::vector<std::string> known_metrics(const std::vector<std::shared_ptr<Metric>>& metrics) {
  std::vector<std::string> names = {"train/loss", "val/loss"};
  for (const auto& metric : metrics)
    for (const std::string& name : metric->names()) names.push_back("val/" + name);
  return names;
}

at::Device choose_device(config::Device wanted) {
  if (wanted == config::Device::cuda)
    throw Error(ErrorKind::usage, "trainer.device", "no GPU support: expected cpu or auto, got cuda",
                "this build has no GPU module");
  return at::kCPU;
}

}  // namespace kinema::train
