#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinema/callback.h"
#include "kinema/metric.h"
#include "kinema/options.h"

// What the callbacks that watch one metric share.
enum class MonitorMode { automatic, max, min };

inline std::vector<std::pair<std::string, MonitorMode>> monitor_modes() {
  return {{"auto", MonitorMode::automatic}, {"max", MonitorMode::max}, {"min", MonitorMode::min}};
}

inline constexpr const char* kMonitorModeHelp =
    "whether higher or lower is better; auto: lower for names that end in loss or error, else higher";

inline bool higher_is_better(MonitorMode mode, std::string_view metric) {
  if (mode != MonitorMode::automatic) return mode == MonitorMode::max;
  return !kinema::lower_is_better(metric);
}

// A metric is judged when it is final: "train/..." at the end of each epoch, all others after each
// evaluation.
inline bool judged_at_epoch_end(std::string_view metric) { return metric.starts_with("train/"); }

// By how much `value` is better than `other`; negative when it is worse.
inline double improvement(bool higher_is_better, double value, double other) {
  return higher_is_better ? value - other : other - value;
}

// What a callback's saved table says about the values in it.
inline kinema::Value watching(const std::string& metric, bool higher) {
  return kinema::Value::table({{"monitor", metric}, {"higher_is_better", higher}});
}
// Values of another metric, or of one that was ranked the other way round, cannot be compared with this
// one's.
inline bool watches_the_same(const kinema::Value& saved, const std::string& metric, bool higher) {
  const kinema::Value* name = saved.find("monitor");
  const kinema::Value* direction = saved.find("higher_is_better");
  return name && direction && name->as_string() == metric && direction->as_bool() == higher;
}

// The metric's latest value; nothing when the evaluation or epoch gave none. Says so in the log.
inline std::optional<double> monitored(const kinema::FitState& state, kinema::FitControl& control,
                                       std::string_view callback, const std::string& metric) {
  const auto found = state.metrics.find(metric);
  if (found != state.metrics.end()) return found->second;
  const bool epoch = judged_at_epoch_end(metric);
  control.info(std::string(callback) + ": " + (epoch ? "epoch " : "evaluation ") +
               std::to_string(epoch ? state.epoch : state.evaluations) + " gave no " + metric +
               "; not counted");
  return std::nullopt;
}
