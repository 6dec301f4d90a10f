#include "framework/train/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/data/check.h"
#include "framework/data/recipe.h"
#include "framework/data/sampler.h"
#include "framework/data/shard_set.h"
#include "framework/train/freeze.h"
#include "framework/train/param_groups.h"
#include "framework/train/schedule.h"
#include "kinema/error.h"

namespace kinema::train {
namespace {

// Everything that can be known about a data set without opening a video.
data::DataReport look_at(const eval::Workshop& workshop, const Dataset& dataset, const std::string& name,
                         const data::ShardSet* shards) {
  data::DataReport report = data::inspect(dataset, name, shards);
  for (const std::string& warning : report.warnings) workshop.lines.warn(warning);
  if (report.missing > 0) workshop.lines.missing(name, report.missing_files);
  return report;
}

void choose_items(const config::LoaderOptions& loader, const Dataset& dataset,
                  data::TrainScheduleOptions& schedule) {
  schedule.repeated = loader.repeated;
  schedule.balance = loader.balance;
  for (std::size_t i = 0; loader.balance != config::Balance::none && i < dataset.size(); ++i) {
    const Item item = dataset.item(i);
    schedule.labels.push_back(item.target.label);
    schedule.weights.push_back(item.weight);
  }
}

TrainFeed train_feed(data::LoaderSetup setup) {
  auto schedule = setup.schedule;
  auto loader = std::make_shared<data::Loader>(std::move(setup));
  TrainFeed feed;
  feed.batches = schedule->batches();
  feed.clips = [schedule](std::int64_t batch) { return schedule->clips(batch); };
  feed.start = [loader](std::int64_t epoch, std::int64_t batch) { loader->start(epoch, batch); };
  feed.next = [loader] { return loader->next(); };
  feed.write_ledger = [loader](const std::string& file) { loader->write_ledger(file); };
  feed.waited_s = [loader] { return loader->stats().wait_s; };
  return feed;
}

EvalFeed eval_feed(data::LoaderSetup setup, std::int64_t views, const eval::ViewRule& rule) {
  EvalFeed feed;
  feed.views = views;
  feed.rule = rule;
  for (std::int64_t batch = 0; batch < setup.schedule->batches(); ++batch)
    feed.clips += setup.schedule->clips(batch);
  auto loader = std::make_shared<data::Loader>(std::move(setup));
  feed.start = [loader] { loader->start(0); };
  feed.next = [loader] { return loader->next(); };
  return feed;
}

constexpr const char* kFrameMap = "val/frame_mAP";

// A callback's or the trainer's monitor that no metric will ever deliver is found before anything heavy
// starts.
void check_monitors(const config::Experiment& experiment, const Parts& parts) {
  const bool evaluates = parts.eval.start && experiment.trainer.eval_every > 0;
  const std::vector<std::string> known =
      evaluates ? eval::known_metrics(parts.metrics) : std::vector<std::string>{"train/loss"};
  std::vector<Problem> problems;
  const auto check = [&](const std::string& where, const std::string& monitor) {
    if (std::find(known.begin(), known.end(), monitor) != known.end()) return;
    problems.push_back({where, fmt::format("unknown metric: expected one of {}, got \"{}\"",
                                           fmt::join(known, ", "), monitor)});
    if (!evaluates)
      problems.back().hint = "nothing is evaluated: trainer.eval_every = 1 with a [data.val] does";
  };
  if (parts.eval.start) check("trainer.monitor", experiment.trainer.monitor);
  if (!problems.empty() && std::find(known.begin(), known.end(), kFrameMap) != known.end())
    problems.back().hint = fmt::format("boxes are measured: [trainer] monitor = \"{}\"", kFrameMap);
  for (std::size_t i = 0; i < parts.callbacks.size(); ++i)
    for (const std::string& monitor : parts.callbacks[i].callback->monitors())
      check(fmt::format("callback.{}.monitor", i), monitor);
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
}

// What only makes sense for clips with classes, or for boxes on both sides.
void check_boxes(const config::Experiment& experiment, const DataSets& sets) {
  const bool boxes = data::detects(*sets.train);
  std::vector<Problem> problems;
  if (sets.eval && data::detects(*sets.eval) != boxes)
    problems.push_back({"data", fmt::format("boxes on one side: expected data.train and data.val alike, got "
                                            "boxes in {} alone",
                                            boxes ? "data.train" : "data.val")});
  if (boxes && (experiment.mix.mixup > 0 || experiment.mix.cutmix > 0))
    problems.push_back({"mix", "clips with boxes cannot be mixed: expected no mixup and cutmix, got some"});
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
}

std::shared_ptr<Scheduler> make_scheduler(const eval::Workshop& workshop) {
  const Component<Scheduler>& section = workshop.experiment.scheduler.component;
  if (!section) return std::make_shared<ConstantRate>();
  return workshop.make<Scheduler>(section, "scheduler");
}

}  // namespace

DataSets make_data_sets(const eval::Workshop& workshop) {
  DataSets sets;
  sets.train = workshop.make<Dataset>(workshop.experiment.train_data, "data.train");
  sets.eval = eval::make_eval_set(workshop);
  sets.classes = sets.train->classes();
  if (sets.eval) data::check_classes_agree(sets.classes, sets.eval->classes());
  sets.shards = data::shards_of(workshop.experiment);
  data::check_missing(look_at(workshop, *sets.train, "data.train", sets.shards.get()), "data.train",
                      workshop.experiment.loader.max_bad_fraction);
  // an evaluation counts and reports what it cannot read
  if (sets.eval) look_at(workshop, *sets.eval, "data.val", sets.shards.get());
  return sets;
}

data::LoaderSetup train_loader_setup(const eval::Workshop& workshop, std::shared_ptr<const Dataset> dataset) {
  const config::Experiment& experiment = workshop.experiment;
  const bool overfit = experiment.trainer.overfit_batches > 0;
  const data::MakeTransform maker = eval::transform_maker(workshop);
  data::TrainScheduleOptions schedule;
  schedule.items = dataset->size();
  schedule.clips_per_video = overfit ? 1 : experiment.train_clip.clips_per_video;
  schedule.batch = config::micro_batch(experiment, 1);
  schedule.seed = experiment.seed;
  schedule.shuffle = experiment.loader.shuffle && !overfit;
  schedule.drop_last = experiment.loader.drop_last;
  if (!overfit) choose_items(experiment.loader, *dataset, schedule);
  schedule.limit = overfit ? experiment.trainer.overfit_batches : experiment.trainer.limit_train;
  data::ClipRecipe recipe = overfit ? data::eval_recipe(experiment, dataset, maker)
                                    : data::train_recipe(experiment, dataset, maker);
  const std::string warning = data::directional_warning(recipe.transforms, workshop.classes, recipe.mirrored);
  if (!warning.empty()) workshop.lines.warn(warning);
  data::LoaderSetup setup;
  setup.recipe = std::make_shared<const data::ClipRecipe>(std::move(recipe));
  setup.schedule = std::make_shared<data::TrainSchedule>(schedule);
  setup.workers = eval::worker_count(experiment.loader);
  setup.measure = !experiment.loader.workers;
  setup.prefetch = experiment.loader.prefetch;
  setup.stuck_s = experiment.loader.stuck_seconds;
  setup.max_bad_fraction = experiment.loader.max_bad_fraction;
  return setup;
}

Parts assemble(const eval::Workshop& workshop, const DataSets& sets, const at::Device& device) {
  const config::Experiment& experiment = workshop.experiment;
  check_boxes(experiment, sets);
  Parts parts;
  parts.metrics = eval::make_metrics(workshop, sets.eval.get());
  const auto class_table = std::make_shared<eval::ClassTable>(sets.classes);
  parts.metrics.push_back(class_table);
  parts.class_table = class_table;
  for (const Component<Callback>& callback : experiment.callbacks)
    parts.callbacks.push_back({callback.type, workshop.make<Callback>(callback, "callback")});
  parts.train = train_feed(train_loader_setup(workshop, sets.train));
  if (sets.eval)
    parts.eval =
        eval_feed(eval::eval_loader_setup(workshop, sets.eval), data::views_per_item(experiment.eval_clip),
                  eval::view_rule(experiment.eval, sets.eval.get()));
  check_monitors(experiment, parts);
  parts.scheduler = make_scheduler(workshop);
  parts.loss = eval::make_loss(workshop, device);
  parts.model = eval::make_model(workshop, device);
  const std::string frozen = freeze_parameters(*parts.model, experiment.start);
  if (!frozen.empty()) workshop.lines.info(frozen);
  parts.optimizer = workshop.make<Optimizer>(experiment.optimizer.component, "optimizer");
  parts.optimizer->attach(make_param_groups(*parts.model, parts.loss.get(), experiment.optimizer));
  return parts;
}

}  // namespace kinema::train
