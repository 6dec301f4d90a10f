#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinema/callback.h"
#include "kinema/options.h"

// What the callbacks that watch one metric share.
enum class MonitorMode { automatic, max, min };

inline std::vector<std::pair<std::string, MonitorMode>> monitor_modes() {
  return {{"auto", MonitorMode::automatic}, {"max", MonitorMode::max}, {"min", MonitorMode::min}};
}

inline constexpr const char* kMonitorModeHelp =
    "whether higher or lower is better; auto: lower for names with loss or error, else higher";

inline bool higher_is_better(MonitorMode mode, std::string_view metric) {
  if (mode != MonitorMode::automatic) return mode == MonitorMode::max;
  return metric.find("loss") == std::string_view::npos && metric.find("error") == std::string_view::npos;
}

// By how much `value` is better than `other`; negative when it is worse.
inline double improvement(bool higher_is_better, double value, double other) {
  return higher_is_better ? value - other : other - value;
}

// The metric's latest value; nothing when the evaluation gave none. Says so in the log.
inline std::optional<double> monitored(const kinema::FitState& state, kinema::FitControl& control,
                                       std::string_view callback, const std::string& metric) {
  const auto found = state.metrics.find(metric);
  if (found != state.metrics.end()) return found->second;
  control.info(std::string(callback) + ": evaluation " + std::to_string(state.evaluations) + " gave no " +
               metric + "; not counted");
  return std::nullopt;
}
