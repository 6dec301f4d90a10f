#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/checkpoint/checkpoint.h"
#include "framework/config/experiment.h"
#include "framework/tracking/run_lock.h"

namespace kinema::train {

// Where a run writes and what it continues from.
struct RunPlace {
  std::string folder;                                // empty: nowhere
  std::optional<checkpoint::Checkpoint> checkpoint;  // verified; empty: from the start
  std::vector<std::string> remarks;                  // what the user should know about the choice
  tracking::RunLock lock;                            // nobody else writes there while this lives

  std::string checkpoints() const { return folder + "/checkpoints"; }
  std::optional<std::int64_t> resumed_step() const;
  std::vector<std::string> classes() const;  // those the checkpoint was trained on
};

// A new run folder, or the one that `resume` means: empty text for the newest run of the experiment's name, a
// run folder, or a checkpoint folder inside of one. The newest checkpoint that verifies is taken, with a
// remark for each newer one that does not; a checkpoint that was named itself must verify. A run without any
// checkpoint starts at step 0, and a bare resume without any run starts a new one, both with a remark. Throws
// Error(usage) for a place that is no run or that another process trains in, Error(data) when no checkpoint
// is usable.
RunPlace open_run_place(const config::Experiment& experiment, const std::optional<std::string>& resume);

}  // namespace kinema::train
