#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::train {

// What one optimizer step was like.
struct StepReport {
  std::int64_t step = 0, total_steps = 0;        // done, of the run
  std::int64_t epoch = 0, total_epochs = 0;      // the current one, from 0
  std::int64_t epoch_step = 0, epoch_steps = 0;  // of the current epoch
  double loss = 0, lr = 0, grad_norm = 0;
  double clips_per_s = 0;  // since the last report
  double wait_share = 0;   // of the wall time since the last report, spent waiting for the loader
  double waited_s = 0;     // by the loader, in all
  bool log = false;        // a row for metrics.jsonl is due
};

// Where a run tells what happens. Called by the training thread only.
class RunLog {
 public:
  virtual ~RunLog() = default;
  virtual void info(std::string_view text) = 0;
  virtual void warn(std::string_view text) = 0;
  virtual void step(const StepReport& report) = 0;
  virtual void evaluating(std::int64_t clips, std::int64_t total) = 0;
  // Results of an epoch or an evaluation: names carry the split, "val/top1".
  virtual void values(std::int64_t step, std::int64_t epoch, const std::map<std::string, double>& values) = 0;
  // A table of the newest evaluation, in place of the one before: the names of its columns, then rows.
  virtual void table(const std::string& /*name*/, const std::vector<std::vector<std::string>>& /*rows*/) {}
};

}  // namespace kinema::train
