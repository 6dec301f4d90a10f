#include "framework/config/experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/config/clip_section.h"
#include "framework/config/hints.h"
#include "framework/config/monitor.h"
#include "framework/config/resolve.h"
#include "framework/config/sections.h"
#include "framework/config/toml_limits.h"

namespace kinema::config {
namespace {

// workers = "auto" is what an absent number means.
void drop_automatic_workers(Value& file) {
  Value* loader = file.find("loader");
  const Value* workers = loader ? loader->find("workers") : nullptr;
  if (workers && *workers == Value("auto")) loader->erase("workers");
}

// True when a section by itself was in order, so that what it says can be set against other sections.
bool sound(const Value& file, const std::string& section) {
  const Value* table = file.find(section);
  std::vector<Problem> problems;
  if (table) file_table().find(section)->type.nested->parse(*table, nullptr, nullptr, section, problems);
  return problems.empty();
}

Origin origin_of(const Value& file, const std::string& section, const std::string& key) {
  const Value* table = file.find(section);
  const Value* value = table ? table->find(key) : nullptr;
  return value ? value->origin : table ? table->origin : file.origin;
}

bool said(const Value& file, const std::string& section, const std::string& key) {
  const Value* table = file.find(section);
  return table && table->find(key);
}

std::optional<Problem> indivisible(const LoaderOptions& loader, std::int64_t accumulate, int world,
                                   const Origin& origin) {
  if (!loader.global_batch || *loader.global_batch % (accumulate * world) == 0) return std::nullopt;
  return problem_at(
      origin, "loader.global_batch",
      fmt::format("indivisible global_batch: expected a multiple of accumulate x ranks = {} x {}, "
                  "got {}",
                  accumulate, world, *loader.global_batch));
}

void check_batches(const Value& file, ExperimentFile& parsed, std::vector<Problem>& problems) {
  if (const Value* loader = file.find("loader"))
    check_exclusive(*loader, "loader", "batch", "global_batch", problems);
  if (!sound(file, "loader") || !sound(file, "trainer") || !parsed.loader.global_batch) return;
  auto problem =
      indivisible(parsed.loader, parsed.trainer.accumulate, 1, origin_of(file, "loader", "global_batch"));
  if (problem)
    problems.push_back(std::move(*problem));
  else
    parsed.loader.batch = *parsed.loader.global_batch / parsed.trainer.accumulate;
}

// What goes together in the choice of training items.
void check_items(const Value& file, const ExperimentFile& parsed, std::vector<Problem>& problems) {
  if (!sound(file, "loader")) return;
  const LoaderOptions& loader = parsed.loader;
  const auto add = [&](const char* key, std::string what, std::string hint) {
    problems.push_back(problem_at(origin_of(file, "loader", key), std::string("loader.") + key,
                                  std::move(what), std::move(hint)));
  };
  if (loader.balance != Balance::none && !loader.shuffle)
    add("balance",
        "items are drawn, in no order of the data set's: expected shuffle = true beside balance, got false",
        "`~loader.balance` or `~loader.shuffle` on the command line removes one");
  if (loader.repeated > 1 && parsed.clip.train.clips_per_video > 1)
    add("repeated",
        fmt::format("exclusive keys: expected repeated or clip.train.clips_per_video above 1, got {} and {}",
                    loader.repeated, parsed.clip.train.clips_per_video),
        "both draw an item several times an epoch: repeated into one batch, clips_per_video anywhere");
}

void check_cache(const Value& file, const ExperimentFile& parsed, std::vector<Problem>& problems) {
  if (!sound(file, "loader")) return;
  const CacheOptions& cache = parsed.loader.cache;
  const Value* loader = file.find("loader");
  const Value* table = loader ? loader->find("cache") : nullptr;
  const bool on_disk = cache.store == FrameStore::disk;
  if (table == nullptr || on_disk == cache.folder.has_value()) return;
  const Value* folder = table->find("folder");
  problems.push_back(
      problem_at(folder ? folder->origin : table->origin, "loader.cache.folder",
                 on_disk ? std::string("missing key: expected a folder beside store = \"disk\", got nothing")
                         : fmt::format("no effect: expected store = \"disk\" beside a folder, got \"{}\"",
                                       cache.store == FrameStore::none ? "none" : "memory"),
                 on_disk ? "the cache removes what is too old from it: name one that holds nothing else"
                         : "`loader.cache.store=disk` keeps frames there"));
}

void check_limits(const Value& file, const ExperimentFile& parsed, std::vector<Problem>& problems) {
  if (!sound(file, "trainer") || parsed.trainer.overfit_batches == 0 || !parsed.trainer.limit_train) return;
  problems.push_back(
      problem_at(origin_of(file, "trainer", "limit_train"), "trainer.limit_train",
                 "exclusive keys: expected limit_train or overfit_batches, got both",
                 "overfit_batches is the number of batches; `~trainer.limit_train` on the command line "
                 "removes the other"));
}

void check_model(const Value& file, std::vector<Problem>& problems) {
  const Value* model = file.find("model");
  if (model && model->is(Value::Type::table) && !model->find("type"))
    problems.push_back(problem_at(model->origin, "model", "missing key: expected \"type\", got nothing",
                                  "type = name of a model; `kinema list` shows them"));
}

void check_evaluation(const Value& file, ExperimentFile& parsed, const std::vector<std::string>& metric_names,
                      std::vector<Problem>& problems) {
  const bool names_known = !file.find("metric") || !metric_names.empty();
  TrainerOptions& trainer = parsed.trainer;
  const Origin origin = origin_of(file, "trainer", "monitor");
  if (!sound(file, "trainer")) {
    const Value* monitor = said(file, "trainer", "monitor") ? file.find("trainer")->find("monitor") : nullptr;
    if (monitor && monitor->is(Value::Type::string) && names_known)
      check_monitor(monitor->as_string(), metric_names, origin, "trainer.monitor", problems);
    return;
  }
  const Value* data = file.find("data");
  if (data && data->is(Value::Type::table) && !data->find("val") && trainer.eval_every > 0)
    problems.push_back(
        problem_at(data->origin, "data", "missing key: expected \"val\", got nothing",
                   "[data.val] is a data set to evaluate on; trainer.eval_every = 0 needs none"));
  if (trainer.eval_every == 0) {
    if (!said(file, "trainer", "monitor"))
      trainer.monitor = "train/loss";
    else if (trainer.monitor != "train/loss")
      problems.push_back(problem_at(
          origin, "trainer.monitor",
          fmt::format("impossible monitor: expected train/loss where nothing is evaluated, got \"{}\"",
                      trainer.monitor),
          "trainer.eval_every = 1 evaluates after each epoch"));
  } else if (names_known) {
    check_monitor(trainer.monitor, metric_names, origin, "trainer.monitor", problems);
  }
}

// In the order of the files, each once: [clip] is merged into two tables and would complain twice.
std::vector<Problem> in_order(std::vector<Problem> problems) {
  std::vector<std::string> files;
  std::vector<Problem> unique;
  for (Problem& problem : problems) {
    if (std::find(files.begin(), files.end(), problem.origin.source) == files.end())
      files.push_back(problem.origin.source);
    const auto same = [&](const Problem& p) { return p.where == problem.where && p.what == problem.what; };
    if (std::none_of(unique.begin(), unique.end(), same)) unique.push_back(std::move(problem));
  }
  const auto place = [&](const Problem& problem) {
    const auto file = std::find(files.begin(), files.end(), problem.origin.source);
    return std::tuple(file, problem.origin.line, problem.origin.column);
  };
  std::stable_sort(unique.begin(), unique.end(),
                   [&](const Problem& a, const Problem& b) { return place(a) < place(b); });
  return unique;
}

Experiment assembled(ExperimentFile file) {
  Experiment experiment;
  experiment.name = std::move(file.name);
  experiment.seed = file.seed;
  experiment.runs_dir = std::move(file.runs_dir);
  experiment.plugins = std::move(file.plugins);
  experiment.model = std::move(file.model.component);
  experiment.start = std::move(static_cast<WeightsOptions&>(file.model));
  experiment.train_data = std::move(file.data.train);
  experiment.eval_data = std::move(file.data.val);
  experiment.train_clip = std::move(file.clip.train);
  experiment.eval_clip = std::move(file.clip.eval);
  experiment.train_transforms = std::move(file.transform.train);
  experiment.eval_transforms = std::move(file.transform.eval);
  experiment.loader = std::move(file.loader);
  experiment.eval = file.eval;
  experiment.loss = std::move(file.loss);
  experiment.optimizer = std::move(file.optimizer);
  experiment.scheduler = std::move(file.scheduler);
  experiment.trainer = std::move(file.trainer);
  experiment.checkpoint = file.checkpoint;
  experiment.distributed = file.distributed;
  experiment.mix = file.mix;
  experiment.callbacks = std::move(file.callback);
  experiment.metrics = std::move(file.metric);
  return experiment;
}

Value resolved(const Value& checked, const Experiment& experiment, const Catalog* catalog) {
  Value result = with_defaults(checked, file_table(), catalog);
  for (const char* use : {"train", "eval"}) {
    Value& clip = *result.find("clip")->find(use);
    for (const std::string& key : replaced_by_transforms(checked, use)) clip.erase(key);
    for (const auto& [key, reason] : idle_beside_sampling(checked, use)) clip.erase(key);
  }
  const auto set_default = [&](const char* section, const char* key, Value value) {
    value.origin.source = "default";
    result.find(section)->set(key, std::move(value));
  };
  if (!experiment.loader.workers) set_default("loader", "workers", Value("auto"));
  if (!said(checked, "trainer", "monitor"))
    set_default("trainer", "monitor", Value(experiment.trainer.monitor));
  return result;
}

}  // namespace

Experiment parse_experiment(const Layers& layers, const Catalog* catalog,
                            const std::vector<std::string>& metric_names) {
  layers.require_complete();
  std::vector<Problem> problems = layers.problems;
  Value file = layers.merged;
  drop_automatic_workers(file);
  merge_clip_section(file, problems);

  ExperimentFile parsed;
  const Value checked = file_table().parse(file, &parsed, catalog, {}, problems);
  check_model(file, problems);
  check_batches(file, parsed, problems);
  check_items(file, parsed, problems);
  check_cache(file, parsed, problems);
  check_limits(file, parsed, problems);
  check_evaluation(file, parsed, metric_names, problems);
  if (const Value* clip = checked.find("clip"); clip && clip->is(Value::Type::table)) {
    check_clip(parsed.clip.train, "train", *clip->find("train"), problems);
    check_clip(parsed.clip.eval, "eval", *clip->find("eval"), problems);
  }
  if (!problems.empty()) {
    add_whole_file_hints(layers.merged, catalog, problems);
    throw Error(ErrorKind::usage, in_order(std::move(problems)));
  }
  Experiment experiment = assembled(std::move(parsed));
  experiment.resolved = resolved(checked, experiment, catalog);
  return experiment;
}

std::int64_t micro_batch(const Experiment& experiment, int world) {
  if (!experiment.loader.global_batch) return experiment.loader.batch;
  if (auto problem = indivisible(experiment.loader, experiment.trainer.accumulate, world,
                                 origin_of(experiment.resolved, "loader", "global_batch")))
    throw Error(ErrorKind::usage, {std::move(*problem)});
  return *experiment.loader.global_batch / (experiment.trainer.accumulate * world);
}

}  // namespace kinema::config
