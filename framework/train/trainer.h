#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "framework/config/experiment.h"
#include "framework/eval/class_table.h"
#include "framework/eval/evaluation.h"
#include "framework/train/events.h"
#include "framework/train/keeper.h"
#include "framework/train/run_log.h"
#include "framework/train/run_state.h"
#include "framework/train/step.h"
#include "kinema/loss.h"
#include "kinema/model.h"
#include "kinema/optimizer.h"
#include "kinema/scheduler.h"

namespace kinema::train {

// Where the training clips come from.
struct TrainFeed {
  std::int64_t batches = 0;                         // micro-batches an epoch
  std::function<std::int64_t(std::int64_t)> clips;  // in a micro-batch of the epoch, known beforehand
  std::function<void(std::int64_t epoch, std::int64_t batch)> start;  // next() goes on from here
  eval::NextBatch next;
  std::function<double()> waited_s = [] { return 0.0; };  // so far: the trainer stood still in next()
  std::function<void(const std::string&)> write_ledger = [](const std::string&) {};  // where bad videos go
};

// Where the evaluation clips come from; `start` null: the run does not evaluate.
struct EvalFeed {
  std::function<void()> start;
  eval::NextBatch next;
  std::int64_t views = 1;  // clips an item
  eval::ViewRule rule;     // how they become the item's scores
  std::int64_t clips = 0;  // in one evaluation, for the progress display
};

// What a run is made of.
struct Parts {
  std::shared_ptr<Model> model;
  std::shared_ptr<Loss> loss;
  std::shared_ptr<Optimizer> optimizer;  // attached to the parameters of model and loss
  std::shared_ptr<Scheduler> scheduler;
  std::vector<NamedCallback> callbacks;
  std::vector<std::shared_ptr<Metric>> metrics;
  std::shared_ptr<const eval::ClassTable> class_table;  // one of the metrics; null: no table of classes
  TrainFeed train;
  EvalFeed eval;
};

struct FitOptions {
  config::TrainerOptions trainer;
  config::OptimizerSection optimizer;
  config::SchedulerSection scheduler;
  config::CheckpointOptions checkpoint;
  config::MixOptions mix;
  std::int64_t batch = 1;  // clips of a full micro-batch on this rank
  std::uint64_t seed = 1;
  at::Device device = at::kCPU;
  bool freeze_norm = false;  // batch norms use their running statistics in training too
  std::string run_dir;
  std::function<int()> stop_signal = [] { return 0; };  // number of a signal that asks for a stop
};

struct Outcome {
  enum class Status { completed, stopped_early, interrupted };
  Status status = Status::completed;
  std::string reason;  // "early_stopping: ...", "SIGTERM"
  RunState state;
};

// The training loop. One thread; the loader's workers are behind the feeds.
class Trainer {
 public:
  Trainer(Parts parts, FitOptions options, Keeper& keeper, RunLog& log);

  // Goes on from a checkpoint: call before fit(). Model and loss have been restored. Best and history start
  // afresh when they were another monitor's.
  void restore(const RunState& state, const Value& callbacks, const std::vector<NamedTensor>& optimizer);
  // Throws Error(diverged) after five steps in a row with a non-finite loss or gradient, Error(run) after
  // three failed checkpoints in a row or when the last one could not be written, and what loader and plugins
  // throw.
  Outcome fit();
  // How far it is; also after fit() threw.
  RunState reached() const;

  std::int64_t total_steps() const noexcept { return total_steps_; }
  std::int64_t steps_per_epoch() const noexcept { return steps_per_epoch_; }

 private:
  bool train_epoch();
  void train_group();
  bool evaluate();
  void end_epoch(bool evaluated);
  Outcome conclude();

  bool interrupted() const { return options_.stop_signal() != 0; }
  bool stopping() const { return interrupted() || events_.stop_reason().has_value(); }
  bool evaluates() const { return parts_.eval.start && options_.trainer.eval_every > 0; }
  bool evaluation_due() const;
  bool save_due() const;
  void note(const StepResult& result, std::int64_t clips, const std::vector<std::string>& keys);
  void report(const StepResult& result, double lr);
  void note_metrics(const eval::EvaluationResult& result);
  void write_class_tables();
  void note_training_loss();
  // Its history and best: after each evaluation, or after each epoch where it is a training metric.
  void note_monitored();
  bool save(const std::string& name);
  bool save_step();
  void serve_requests();
  void release(const std::string& name);
  Progress progress() const;
  FitState fit_state() const;
  void tell(Events::Moment moment) { events_.tell(moment, fit_state()); }

  Parts parts_;
  FitOptions options_;
  Keeper& keeper_;
  RunLog& log_;
  Events events_;
  Step step_;
  RunState state_;
  std::int64_t steps_per_epoch_ = 1;
  std::int64_t total_steps_ = 0;
  double base_lr_ = 0;
  bool best_is_new_ = false;
  bool kept_ = false;  // the newest checkpoint holds this very state
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  Clock::time_point started_ = Clock::now(), reported_ = started_, saved_ = started_;
  double waited_s_ = 0;  // of the feed, at the last report
  std::int64_t clips_unreported_ = 0;
  std::set<std::size_t> told_bad_;  // items whose video could not be read
  int failed_saves_ = 0;            // in a row
};

}  // namespace kinema::train
