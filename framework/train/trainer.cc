#include "framework/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/train/freeze.h"
#include "framework/train/schedule.h"
#include "framework/train/stop_signal.h"
#include "kinema/error.h"
#include "kinema/random.h"

namespace kinema::train {
namespace {

constexpr std::int64_t kMostSkippedSteps = 5;
constexpr const char* kTrainLoss = "train/loss";

// The sign of a NaN says nothing.
std::string number(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }

}  // namespace

Trainer::Trainer(Parts parts, FitOptions options, Keeper& keeper, RunLog& log)
    : parts_(std::move(parts)),
      options_(std::move(options)),
      keeper_(keeper),
      log_(log),
      events_(parts_.callbacks, [&log](std::string_view text) { log.info(text); }),
      step_(*parts_.model, *parts_.loss, *parts_.optimizer,
            {options_.device, options_.trainer.precision, options_.trainer.clip_grad_norm, options_.mix}) {
  const config::TrainerOptions& trainer = options_.trainer;
  steps_per_epoch_ = (parts_.train.batches + trainer.accumulate - 1) / trainer.accumulate;
  total_steps_ = trainer.epochs * steps_per_epoch_;
  if (trainer.max_steps) total_steps_ = std::min(total_steps_, *trainer.max_steps);
  base_lr_ = scaled_lr(options_.optimizer, options_.batch * trainer.accumulate);
  state_.monitor = trainer.monitor;
  state_.higher_is_better = higher_is_better(trainer);
}

void Trainer::restore(const RunState& state, const Value& callbacks,
                      const std::vector<NamedTensor>& optimizer) {
  const RunState fresh = std::exchange(state_, state);
  state_.finished = state.finished && state.step >= total_steps_;  // more epochs may have been asked for
  state_.stopped = false;
  if (state.monitor != fresh.monitor || state.higher_is_better != fresh.higher_is_better) {
    log_.warn(fmt::format("the best so far was that of {}: a new one is looked for, of {}", state.monitor,
                          fresh.monitor));
    state_.monitor = fresh.monitor;
    state_.higher_is_better = fresh.higher_is_better;
    state_.history.clear();
    state_.best = fresh.best;
    state_.best_epoch = fresh.best_epoch;
  }
  events_.load(callbacks);
  parts_.optimizer->load_state(optimizer);
}

Outcome Trainer::fit() {
  parts_.model->train();
  hold_norms(*parts_.model, options_.freeze_norm);
  parts_.loss->train();
  tell(&Callback::fit_begin);
  serve_requests();
  while (!state_.finished && !stopping()) {
    if (!train_epoch()) break;
    const bool evaluated = evaluation_due();
    if (evaluated && !evaluate()) break;
    end_epoch(evaluated);
  }
  return conclude();
}

// False: stopped before the epoch's last step.
bool Trainer::train_epoch() {
  if (state_.batch == 0) tell(&Callback::epoch_begin);
  if (state_.batch < parts_.train.batches) parts_.train.start(state_.epoch, state_.batch);
  reported_ = Clock::now();
  while (state_.batch < parts_.train.batches && state_.step < total_steps_) {
    if (stopping()) return false;
    train_group();
    tell(&Callback::step_end);
    if (save_due() && state_.batch < parts_.train.batches) save_step();
    serve_requests();
  }
  return !events_.stop_reason();
}

// One optimizer step: the next `accumulate` micro-batches, or what is left of the epoch.
void Trainer::train_group() {
  best_is_new_ = kept_ = false;  // from here on the weights are other ones
  const std::int64_t first = state_.batch;
  const std::int64_t end = std::min(first + options_.trainer.accumulate, parts_.train.batches);
  std::int64_t clips = 0;
  for (std::int64_t batch = first; batch < end; ++batch) clips += parts_.train.clips(batch);
  std::vector<std::string> keys;
  for (std::int64_t batch = first; batch < end; ++batch) {
    const std::unique_ptr<data::Batch> bytes = parts_.train.next();
    if (!bytes) throw Error(ErrorKind::run, "loader", "ended early: expected another batch, got none");
    for (const data::ClipInfo& info : bytes->infos) keys.push_back(info.key);
    for (const data::BadVideo& bad : bytes->bad)
      if (told_bad_.insert(bad.index).second)
        log_.warn(fmt::format("bad video, another one takes its place: {}: {}", bad.path, bad.reason));
    Random random(options_.seed, state_.step, batch - first, "dropout");
    step_.add(*bytes, clips, random.bits());
  }
  const Factors factors = factors_at(*parts_.scheduler, options_.scheduler, progress());
  const double lr = base_lr_ * factors.lr;
  const StepResult result = step_.finish(lr, factors.momentum);
  state_.batch = end;
  ++state_.step;
  note(result, clips, keys);
  report(result, lr);
}

void Trainer::note(const StepResult& result, std::int64_t clips, const std::vector<std::string>& keys) {
  clips_unreported_ += clips;
  if (result.finite) {
    state_.skipped_in_a_row = 0;
    state_.loss_sum += result.loss * result.weight;
    state_.loss_weight += result.weight;
    if (result.weight > 0) state_.metrics[kTrainLoss] = result.loss;
    return;
  }
  const std::string what = fmt::format("step {} skipped: loss {}, gradient norm {}; clips: {}", state_.step,
                                       number(result.loss), number(result.grad_norm), fmt::join(keys, ", "));
  log_.warn(what);
  if (++state_.skipped_in_a_row >= kMostSkippedSteps)
    throw Error(ErrorKind::diverged, "training",
                fmt::format("diverged: {} steps in a row had a non-finite loss or gradient; the last: {}",
                            state_.skipped_in_a_row, what),
                "lower [optimizer] lr, set [trainer] clip_grad_norm, or look at the clips named");
}

void Trainer::report(const StepResult& result, double lr) {
  StepReport report;
  report.step = state_.step;
  report.total_steps = total_steps_;
  report.epoch = state_.epoch;
  report.total_epochs = options_.trainer.epochs;
  report.loss = result.loss;
  report.lr = lr;
  report.grad_norm = result.grad_norm;
  report.epoch_step = (state_.batch + options_.trainer.accumulate - 1) / options_.trainer.accumulate;
  report.epoch_steps = steps_per_epoch_;
  report.waited_s = parts_.train.waited_s();
  report.log = state_.step % options_.trainer.log_every == 0;
  const double seconds = seconds_since(reported_);
  report.clips_per_s = static_cast<double>(clips_unreported_) / seconds;
  report.wait_share = (report.waited_s - waited_s_) / seconds;
  if (report.log) {
    reported_ = Clock::now();
    waited_s_ = report.waited_s;
    clips_unreported_ = 0;
  }
  log_.step(report);
}

bool Trainer::evaluation_due() const {
  if (!evaluates()) return false;
  return (state_.epoch + 1) % options_.trainer.eval_every == 0 || state_.step >= total_steps_;
}

// False: a stop was asked for; the epoch's evaluation has then not happened and comes first after a resume.
bool Trainer::evaluate() {
  note_training_loss();
  parts_.eval.start();
  eval::EvaluationOptions options;
  options.device = options_.device;
  options.precision = options_.trainer.precision;
  options.views = parts_.eval.views;
  options.rule = parts_.eval.rule;
  options.stop = [this] { return interrupted(); };
  options.done = [this](std::int64_t clips) { log_.evaluating(clips, parts_.eval.clips); };
  const eval::EvaluationResult result =
      eval::evaluate(*parts_.model, parts_.loss.get(), parts_.eval.next, parts_.metrics, options);
  if (result.stopped) return false;
  note_metrics(result);
  write_class_tables();
  tell(&Callback::eval_end);
  return true;
}

void Trainer::note_metrics(const eval::EvaluationResult& result) {
  std::erase_if(state_.metrics, [](const auto& metric) { return !is_training_metric(metric.first); });
  for (const auto& [name, value] : result.metrics) state_.metrics["val/" + name] = value;
  for (const data::ClipInfo& clip : result.unreadable)
    log_.warn(fmt::format("evaluation: clip left out: {}: {}", clip.key, clip.problem));
  state_.eval_clips = result.clips;
  state_.eval_unreadable = std::ssize(result.unreadable);
  if (state_.eval_unreadable > 0)
    log_.warn(fmt::format("evaluation: {} of {} clips evaluated", state_.eval_clips - state_.eval_unreadable,
                          state_.eval_clips));
  ++state_.evaluations;
  if (!is_training_metric(state_.monitor)) note_monitored();
}

void Trainer::write_class_tables() {
  if (!parts_.class_table) return;
  if (parts_.class_table->counted()) log_.table("per_class", parts_.class_table->per_class_cells());
  if (parts_.class_table->has_confusion()) log_.table("confusion", parts_.class_table->confusion_cells());
}

// What steps measured gives way to the mean over the epoch so far.
void Trainer::note_training_loss() {
  state_.metrics.erase(kTrainLoss);
  if (state_.loss_weight > 0) state_.metrics[kTrainLoss] = state_.loss_sum / state_.loss_weight;
}

void Trainer::note_monitored() {
  const auto monitored = state_.metrics.find(state_.monitor);
  if (monitored == state_.metrics.end()) return;  // nothing could be measured; the warnings say so
  state_.history.push_back(monitored->second);
  if (!improves(monitored->second, state_.best, state_.higher_is_better)) return;
  state_.best = monitored->second;
  state_.best_epoch = state_.epoch;
  best_is_new_ = true;
}

void Trainer::end_epoch(bool evaluated) {
  kept_ = false;
  note_training_loss();
  if (is_training_metric(state_.monitor)) note_monitored();
  std::map<std::string, double> fresh = state_.metrics;
  if (!evaluated) std::erase_if(fresh, [](const auto& metric) { return !is_training_metric(metric.first); });
  log_.values(state_.step, state_.epoch, fresh);
  const bool due = save_due();
  if (state_.batch >= parts_.train.batches) {
    ++state_.epoch;
    state_.batch = 0;
    state_.loss_sum = state_.loss_weight = 0;
  }
  state_.finished = state_.step >= total_steps_;
  tell(&Callback::epoch_end);
  const std::int64_t every = options_.checkpoint.every_epochs;
  if (due || best_is_new_ || state_.finished || (every > 0 && state_.epoch % every == 0)) save_step();
  serve_requests();
}

RunState Trainer::reached() const {
  RunState state = state_;
  state.wall_s += seconds_since(started_);
  return state;
}

Outcome Trainer::conclude() {
  Outcome outcome;
  outcome.reason = "all epochs done";
  if (!state_.finished) {
    const bool asked = events_.stop_reason().has_value();
    outcome.status = asked ? Outcome::Status::stopped_early : Outcome::Status::interrupted;
    outcome.reason = asked ? *events_.stop_reason() : signal_name(options_.stop_signal());
    if (!kept_ || state_.stopped != asked) save_step();
  } else if (!kept_ && !save_step()) {
    throw Error(ErrorKind::run, "training",
                "ended without its last checkpoint: expected it to be written, got two failures",
                "make room, and --resume repeats the steps since the checkpoint before");
  }
  tell(&Callback::fit_end);
  outcome.state = reached();
  return outcome;
}

Progress Trainer::progress() const {
  Progress progress;
  progress.step = state_.step;
  progress.total_steps = total_steps_;
  progress.steps_per_epoch = steps_per_epoch_;
  progress.epoch = static_cast<double>(state_.step) / static_cast<double>(steps_per_epoch_);
  progress.total_epochs = static_cast<double>(total_steps_) / static_cast<double>(steps_per_epoch_);
  progress.history = state_.history;
  progress.higher_is_better = state_.higher_is_better;
  return progress;
}

FitState Trainer::fit_state() const {
  FitState fit;
  fit.step = state_.step;
  fit.epoch = state_.epoch + (state_.batch >= parts_.train.batches ? 1 : 0);
  fit.total_steps = total_steps_;
  fit.total_epochs = options_.trainer.epochs;
  fit.evaluations = state_.evaluations;
  fit.metrics = state_.metrics;
  fit.run_dir = options_.run_dir;
  return fit;
}

}  // namespace kinema::train
