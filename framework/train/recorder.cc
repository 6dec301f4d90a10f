#include "framework/train/recorder.h"

#include <fmt/format.h>

#include <utility>

#include "framework/tracking/clock.h"
#include "framework/tracking/csv.h"
#include "framework/tracking/run_file.h"

namespace kinema::train {

Recorder::Recorder(const std::string& folder, std::optional<std::int64_t> resumed_step,
                   tracking::ProgressOutput output)
    : folder_(folder),
      log_(folder.empty() ? tracking::Log() : tracking::Log(folder + "/train.log")),
      progress_(std::move(output)) {
  if (!folder.empty()) metrics_.emplace(folder, resumed_step);
}

void Recorder::info(std::string_view text) {
  log_.info(text);
  progress_.message(std::string(text));
}

void Recorder::warn(std::string_view text) {
  log_.warn(text);
  progress_.message("warning: " + std::string(text));
}

void Recorder::step(const StepReport& report) {
  if (loop_ != Loop::training) {
    loop_ = Loop::training;
    epochs_ = report.total_epochs;
    waited_before_s_ = report.waited_s;
    progress_.begin(fmt::format("epoch {}/{}", report.epoch + 1, report.total_epochs), report.epoch_steps,
                    report.epoch_step);  // the speed counts from the first step that was timed whole
  }
  progress_.update(report.epoch_step, report.loss, report.waited_s - waited_before_s_);
  if (!report.log) return;
  append({report.step,
          report.epoch,
          "train",
          tracking::unix_time(),
          {{"train/loss", report.loss},
           {"lr", report.lr},
           {"grad_norm", report.grad_norm},
           {"clips_per_s", report.clips_per_s},
           {"data_wait", report.wait_share}}});
}

void Recorder::evaluating(std::int64_t clips, std::int64_t total) {
  if (loop_ != Loop::evaluating) {
    loop_ = Loop::evaluating;
    progress_.begin("evaluation", total, clips);
  }
  progress_.update(clips);
}

void Recorder::values(std::int64_t step, std::int64_t epoch, const std::map<std::string, double>& values) {
  loop_ = Loop::none;
  progress_.end();
  std::string text = fmt::format("epoch {}/{} step {}", epoch + 1, epochs_, step);
  tracking::MetricsRow row{step, epoch, "epoch", tracking::unix_time(), {}};
  for (const auto& [name, value] : values) {
    text += fmt::format("  {} {:.4f}", name, value);
    row.values.emplace_back(name, value);
  }
  info(text);
  append(std::move(row));
}

void Recorder::table(const std::string& name, const std::vector<std::vector<std::string>>& rows) {
  if (!folder_.empty()) tracking::write_atomically(folder_ + "/" + name + ".csv", tracking::csv_text(rows));
}

void Recorder::append(tracking::MetricsRow row) {
  if (metrics_) metrics_->append(row);
}

}  // namespace kinema::train
