#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "framework/tracking/log.h"
#include "framework/tracking/metrics_file.h"
#include "framework/tracking/progress.h"
#include "framework/train/run_log.h"

namespace kinema::train {

// Writes what a run tells into its folder (train.log, metrics.jsonl, metrics.csv,
// tables as NAME.csv) and shows its progress.
class Recorder final : public RunLog {
 public:
  // `folder` empty: shows progress only (a dry run).
  Recorder(const std::string& folder, std::optional<std::int64_t> resumed_step,
           tracking::ProgressOutput output);

  void info(std::string_view text) override;
  void warn(std::string_view text) override;
  void step(const StepReport& report) override;
  void evaluating(std::int64_t clips, std::int64_t total) override;
  void values(std::int64_t step, std::int64_t epoch, const std::map<std::string, double>& values) override;
  void table(const std::string& name, const std::vector<std::vector<std::string>>& rows) override;

 private:
  void append(tracking::MetricsRow row);
  enum class Loop { none, training, evaluating };

  std::string folder_;
  tracking::Log log_;
  std::optional<tracking::MetricsFile> metrics_;
  tracking::Progress progress_;
  Loop loop_ = Loop::none;
  double waited_before_s_ = 0;  // by the feed, when the loop began
  std::int64_t epochs_ = 0;
};

}  // namespace kinema::train
