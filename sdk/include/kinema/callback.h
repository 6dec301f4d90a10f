#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/export.h"
#include "kinema/value.h"

namespace kinema {

// Where the run is. Borrowed for the call.
struct FitState {
  std::int64_t step = 0;   // optimizer steps done
  std::int64_t epoch = 0;  // epochs done
  std::int64_t total_steps = 0;
  std::int64_t total_epochs = 0;
  std::int64_t evaluations = 0;           // done so far
  std::map<std::string, double> metrics;  // latest of each, see below
  std::string run_dir;
  int rank = 0, world = 1;
};

// How a callback acts: by asking. The host decides, on all ranks at once, at the next safe point.
class KINEMA_API FitControl {
 public:
  virtual ~FitControl();
  // Ends training after this step; `reason` goes into summary.json.
  virtual void request_stop(std::string reason) = 0;
  // A checkpoint folder of this name beside the regular ones, kept until it is released. What was asked for
  // is done in order, also after a kill and a resume. When a checkpoint fails, the callback's releases that
  // wait behind it are forgotten: nothing is given up for a checkpoint that does not exist.
  virtual void request_checkpoint(std::string name) = 0;
  virtual void release_checkpoint(std::string name) = 0;
  virtual void info(std::string_view text) = 0;
};

// Seven moments of a run, in this order:
//   fit_begin
//     epoch_begin, step_end (each optimizer step), eval_end (when an evaluation ran), epoch_end;
//     checkpoint_saved after each checkpoint that is complete on disk (at a step, or after epoch_end)
//   fit_end (also after a stop; not after a crash)
// What is measured on training clips ("train/loss") is final for an epoch at epoch_end, what an evaluation
// measures ("val/...") at eval_end: judge a metric there, and count epochs or evaluations accordingly.
// Between two epoch_end, "train/loss" is that of the latest step. A metric that was not measured is missing.
// Every moment is [every rank] with equal arguments, so that ranks decide alike; write files on rank 0 alone.
class KINEMA_API Callback {
 public:
  static constexpr std::string_view kKind = "callback";
  virtual ~Callback();

  virtual void fit_begin(const FitState&, FitControl&) {}
  virtual void epoch_begin(const FitState&, FitControl&) {}
  virtual void step_end(const FitState&, FitControl&) {}
  virtual void eval_end(const FitState&, FitControl&) {}
  virtual void epoch_end(const FitState&, FitControl&) {}
  virtual void checkpoint_saved(const FitState&, FitControl&, const std::string& /*path*/) {}
  virtual void fit_end(const FitState&, FitControl&) {}

  // Metrics it watches: unknown ones are refused before anything heavy starts.
  virtual std::vector<std::string> monitors() const { return {}; }
  // What must survive a stop and a resume, as a table. load() gets what save() gave.
  virtual Value save() const { return Value::table(); }
  virtual void load(const Value&) {}
};

// Ability of a callback, asked for with dynamic_cast: it is told when a checkpoint that it asked for could
// not be written. Training goes on, and what was saved before is still there. [every rank]
struct KINEMA_API HandlesFailedCheckpoint {
  virtual ~HandlesFailedCheckpoint();
  virtual void checkpoint_failed(const FitState&, FitControl&, const std::string& name) = 0;
};

}  // namespace kinema
