#include "framework/train/run.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "framework/checkpoint/store_names.h"
#include "framework/config/show.h"
#include "framework/data/check.h"
#include "framework/data/shared_cache.h"
#include "framework/eval/compute_threads.h"
#include "framework/infer/loss_state.h"
#include "framework/infer/trained_model.h"
#include "framework/media/version.h"
#include "framework/plugin/file_hash.h"
#include "framework/tracking/clock.h"
#include "framework/tracking/run_file.h"
#include "framework/tracking/run_folder.h"
#include "framework/tracking/summary.h"
#include "framework/train/assembly.h"
#include "framework/train/recorder.h"
#include "framework/train/run_place.h"
#include "framework/train/stop_signal.h"
#include "framework/train/store_keeper.h"
#include "kinema/random.h"
#include "kinema/version.h"

namespace kinema::train {
namespace {

FitOptions fit_options(const config::Experiment& experiment, const at::Device& device,
                       const std::string& folder) {
  FitOptions options;
  options.trainer = experiment.trainer;
  options.optimizer = experiment.optimizer;
  options.scheduler = experiment.scheduler;
  options.checkpoint = experiment.checkpoint;
  options.batch = config::micro_batch(experiment, 1);
  options.mix = experiment.mix;
  options.freeze_norm = experiment.start.freeze_norm;
  options.seed = experiment.seed;
  options.device = device;
  options.run_dir = folder;
  options.stop_signal = StopSignals::received;
  return options;
}

void shorten(config::Experiment& experiment, std::int64_t steps) {
  experiment.trainer.max_steps = steps;
  const std::int64_t items = steps * config::micro_batch(experiment, 1);
  experiment.trainer.limit_eval = std::min(experiment.trainer.limit_eval.value_or(items), items);
}

tracking::RunStart run_start(const RunRequest& request) {
  tracking::RunStart start;
  start.config_toml = config::show(request.experiment.resolved);
  start.command_line = request.command_line;
  for (const plugin::Library& library : request.registry->libraries())
    if (library.loaded())
      start.plugins.push_back(
          {library.name, library.version, library.path, plugin::sha256_of_file(library.path)});
  start.versions = {KINEMA_SDK_VERSION, TORCH_VERSION, media::ffmpeg_version()};
  start.threads = at::get_num_threads();
  return start;
}

std::string config_hash(const config::Experiment& experiment) {
  return fmt::format("{:016x}", Random::hash(config::show(experiment.resolved)));
}

// What a user should know before a run goes on from a checkpoint.
void add_remarks(const RunRequest& request, RunPlace& place) {
  for (std::string& line : tracking::changed_environment(place.folder, at::get_num_threads()))
    place.remarks.push_back(std::move(line));
  if (place.checkpoint->manifest.config_hash != config_hash(request.experiment))
    place.remarks.push_back("the experiment is not quite the one that the checkpoint was trained with");
}

CheckpointLabels labels_of(const RunRequest& request, const std::vector<std::string>& classes) {
  CheckpointLabels labels;
  labels.metadata = infer::self_description(request.experiment.resolved, classes);
  for (const plugin::Library& library : request.registry->libraries())
    if (library.loaded()) labels.plugins[library.name] = library.version;
  labels.config_hash = config_hash(request.experiment);
  labels.best_link = checkpoint::best_link_name(request.experiment.trainer.monitor);
  return labels;
}

tracking::Summary summary_of(const RunState& state) {
  tracking::Summary summary;
  if (state.best_epoch >= 0) summary.best = {state.monitor, state.best, state.best_epoch + 1};
  if (state.eval_clips > 0) summary.evaluation = {state.eval_clips, state.eval_clips - state.eval_unreadable};
  summary.epochs = state.epoch;
  summary.steps = state.step;
  summary.wall_s = state.wall_s;
  summary.peak_rss_mb = tracking::peak_rss_mb();
  return summary;
}

constexpr const char* status_text(Outcome::Status status) {
  switch (status) {
    case Outcome::Status::completed:
      return "finished";
    case Outcome::Status::stopped_early:
      return "finished";
    case Outcome::Status::interrupted:
      return "stopped";
  }
  return "failed";
}

void write_failure(const std::string& folder, const RunState& state, const std::string& reason) {
  tracking::Summary summary = summary_of(state);
  summary.status = "failed";
  summary.reason = reason;
  tracking::write_summary(folder, summary);
}

std::unique_ptr<Keeper> make_keeper(const RunRequest& request, const RunPlace& place,
                                    const std::vector<std::string>& classes, Recorder& recorder) {
  if (place.folder.empty()) return std::make_unique<NoKeeper>();
  return std::make_unique<StoreKeeper>(place.checkpoints(), request.experiment.checkpoint.keep,
                                       labels_of(request, classes),
                                       [&recorder](std::string_view text) { recorder.warn(text); });
}

std::string best_path(const RunRequest& request, const RunPlace& place) {
  if (place.folder.empty()) return {};
  const std::string link =
      place.checkpoints() + "/" + checkpoint::best_link_name(request.experiment.trainer.monitor);
  return std::filesystem::exists(link) ? link : std::string();
}

// Everything that a run is made of, built before a run folder exists: what is wrong leaves nothing behind.
struct Prepared {
  at::Device device = at::kCPU;
  DataSets sets;
  Parts parts;
  std::vector<std::string> infos, warnings;
  std::string missing;  // lines of missing_files.tsv: section, path
};

Prepared prepare(const RunRequest& request, const config::Experiment& experiment) {
  Prepared prepared;
  prepared.device = eval::choose_device(experiment.trainer.device);
  eval::Workshop workshop{experiment, *request.registry, {}, {}};
  workshop.lines.info = [&prepared](std::string_view text) { prepared.infos.emplace_back(text); };
  workshop.lines.warn = [&prepared](std::string_view text) { prepared.warnings.emplace_back(text); };
  workshop.lines.missing = [&prepared](const std::string& where, const std::vector<std::string>& files) {
    for (const std::string& file : files) prepared.missing += where + "\t" + file + "\n";
  };
  try {
    prepared.sets = make_data_sets(workshop);
    workshop.classes = prepared.sets.classes;
    prepared.parts = assemble(workshop, prepared.sets, prepared.device);
  } catch (...) {  // no log will have them
    for (const std::string& line : prepared.warnings) request.lines.warn(line);
    throw;
  }
  return prepared;
}

// From here on there is a run folder, and what goes wrong is written into it.
Outcome train_in(const RunRequest& request, const config::Experiment& experiment, const RunPlace& place,
                 const Prepared& prepared, RunState& reached) {
  Recorder recorder(place.folder, place.resumed_step(), request.progress);
  for (const std::string& line : place.remarks) recorder.warn(line);
  for (const std::string& line : prepared.warnings) recorder.warn(line);
  for (const std::string& line : prepared.infos) recorder.info(line);
  const DataSets& sets = prepared.sets;
  const Parts& parts = prepared.parts;
  if (!place.folder.empty()) parts.train.write_ledger(place.folder + "/bad_videos.tsv");
  if (!place.folder.empty() && !prepared.missing.empty()) {
    tracking::write_atomically(place.folder + "/missing_files.tsv", prepared.missing);
    recorder.warn("all missing files are listed in missing_files.tsv");
  }
  const auto keeper = make_keeper(request, place, sets.classes, recorder);
  Trainer trainer(parts, fit_options(experiment, prepared.device, place.folder), *keeper, recorder);
  if (place.checkpoint) {
    data::check_classes_agree(place.classes(), sets.classes, "checkpoint", "data.train");
    const infer::StateTensors tensors = infer::split_state(place.checkpoint->state, *parts.loss);
    parts.model->load_state(place.checkpoint->model);
    parts.loss->load_state(tensors.loss);
    const Restored restored = restored_from(place.checkpoint->values);
    trainer.restore(restored.state, restored.callbacks, tensors.optimizer);
    recorder.info(fmt::format("continuing at step {} from {}", restored.state.step, place.checkpoint->path));
  }
  try {
    Outcome outcome = trainer.fit();
    if (const auto cache = data::frame_cache(experiment.loader.cache))
      recorder.info(data::summary_of(cache->stats()));
    return outcome;
  } catch (...) {
    reached = trainer.reached();
    throw;
  }
}

// Trains, with summary.json saying how the run stands.
Outcome record_run(const RunRequest& request, const config::Experiment& experiment, const RunPlace& place,
                   const RunState& before, const Prepared& prepared) {
  RunState reached = before;
  if (place.folder.empty()) return train_in(request, experiment, place, prepared, reached);
  tracking::write_run_start(place.folder, run_start(request));
  tracking::Summary summary = summary_of(before);
  summary.status = "running";
  tracking::write_summary(place.folder, summary);
  Outcome outcome;
  try {
    outcome = train_in(request, experiment, place, prepared, reached);
  } catch (const std::exception& error) {
    write_failure(place.folder, reached, error.what());
    throw;
  }
  summary = summary_of(outcome.state);
  summary.status = status_text(outcome.status);
  summary.reason = outcome.reason;
  tracking::write_summary(place.folder, summary);
  return outcome;
}

RunResult run_with_signals(const RunRequest& request) {
  config::Experiment experiment = request.experiment;
  if (request.dry_run > 0) shorten(experiment, request.dry_run);
  eval::set_compute_threads(experiment.trainer);
  RunPlace place;
  if (request.resume && request.dry_run == 0) place = open_run_place(request.experiment, request.resume);
  if (place.checkpoint) {
    experiment.start.weights.reset();  // the checkpoint has them; the file may be gone
    add_remarks(request, place);
  }
  const RunState before = place.checkpoint ? restored_from(place.checkpoint->values).state : RunState{};
  RunResult result;
  // One that a callback ended goes on when the experiment says something else than then.
  const bool ended =
      before.stopped && place.checkpoint->manifest.config_hash == config_hash(request.experiment);
  result.nothing_to_do = ended || (before.finished && experiment.trainer.epochs <= before.epoch);
  if (!result.nothing_to_do) {
    const Prepared prepared = prepare(request, experiment);
    if (!request.resume && request.dry_run == 0) place = open_run_place(request.experiment, {});
    result.outcome = record_run(request, experiment, place, before, prepared);
  } else {
    result.outcome.state = before;
  }
  result.folder = place.folder;
  result.best = best_path(request, place);
  return result;
}

}  // namespace

RunResult run(const RunRequest& request) {
  std::optional<StopSignals> signals(std::in_place);
  RunResult result = run_with_signals(request);
  signals.reset();  // the next signal ends the program at once
  if (result.outcome.status != Outcome::Status::interrupted) result.late_signal = StopSignals::received();
  return result;
}

}  // namespace kinema::train
