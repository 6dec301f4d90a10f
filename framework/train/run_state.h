#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "kinema/scheduler.h"
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
  double loss_sum = 0;                // over the clips of the current epoch
  std::int64_t loss_clips = 0;
  std::vector<double> history;  // the monitored metric after each evaluation (none: after each epoch)
  std::map<std::string, double> metrics;                   // latest of each
  double best = std::numeric_limits<double>::quiet_NaN();  // of the monitored metric
  std::int64_t best_epoch = -1;
  double wall_s = 0;      // of all attempts so far
  bool finished = false;  // the last step was done and evaluated
  bool stopped = false;   // a callback ended the run before

  Value to_value() const;
  static RunState from_value(const Value& value);  // throws Error(data) when a field is missing
};

// True unless the name says that less is better: "val/loss", "val/error_rate". What callbacks call "auto".
bool higher_is_better(const std::string& metric);

// True when `value` beats `best`; NaN never does, and anything beats a NaN.
bool improves(double value, double best, bool higher);

}  // namespace kinema::train
