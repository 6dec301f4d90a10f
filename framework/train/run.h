#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/config/experiment.h"
#include "framework/eval/assembly.h"
#include "framework/plugin/registry.h"
#include "framework/tracking/progress.h"
#include "framework/train/trainer.h"

namespace kinema::train {

// One run of an experiment as a user asks for it.
struct RunRequest {
  config::Experiment experiment;
  std::shared_ptr<const plugin::Registry> registry;
  std::vector<std::string> command_line;
  std::optional<std::string>
      resume;                // empty text: the newest run of this name; else a run or checkpoint folder
  std::int64_t dry_run = 0;  // > 0: so many steps, a short evaluation, and nothing is kept
  eval::Lines lines;         // before the run folder exists
  tracking::ProgressOutput progress;
};

struct RunResult {
  Outcome outcome;
  std::string folder;          // empty: dry run
  std::string best;            // path of the best checkpoint; empty: none
  bool nothing_to_do = false;  // the run was finished already
  int late_signal = 0;  // one that came when there was nothing left to stop: after the last step and its save
};

// Builds everything, trains, and leaves a complete run folder. Stop signals end it after the step at hand,
// with a checkpoint; one that comes later than that is for the caller to heed. What goes wrong leaves
// summary.json with the status "failed" and comes out as Error.
RunResult run(const RunRequest& request);

}  // namespace kinema::train
