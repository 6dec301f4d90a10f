#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "framework/config/experiment.h"
#include "kinema/value.h"

namespace kinema::train {

// Everything a run knows about itself besides tensors: saved with each checkpoint, so that a resumed run
// continues as if it had never stopped.
struct RunState {
  std::int64_t step = 0;              // optimizer steps done
  std::int64_t epoch = 0;             // epochs done, evaluation included
  std::int64_t batch = 0;             // micro-batches of the current epoch done
  std::int64_t evaluations = 0;       // done
  std::int64_t skipped_in_a_row = 0;  // steps with a non-finite loss or gradient
  double loss_sum = 0;                // of the current epoch's steps, loss x weight
  double loss_weight = 0;
  std::map<std::string, double> metrics;  // latest of each
  std::int64_t eval_clips = 0;            // of the latest evaluation
  std::int64_t eval_unreadable = 0;       // of these
  std::string monitor;                    // what the following are of
  bool higher_is_better = true;
  std::vector<double> history;  // after each evaluation; of a training metric after each epoch
  double best = std::numeric_limits<double>::quiet_NaN();
  std::int64_t best_epoch = -1;
  double wall_s = 0;      // of all attempts so far
  bool finished = false;  // the last step was done and evaluated
  bool stopped = false;   // a callback ended the run before

  Value to_value() const;
  static RunState from_value(const Value& value);  // throws Error(data) when a field is missing
};

// What [trainer] mode says, or else the monitor's name.
bool higher_is_better(const config::TrainerOptions& trainer);

// Measured while training, and final at the end of an epoch; all others are an evaluation's.
bool is_training_metric(const std::string& name);

// True when `value` beats `best`; NaN never does, and anything beats a NaN.
bool improves(double value, double best, bool higher);

}  // namespace kinema::train
