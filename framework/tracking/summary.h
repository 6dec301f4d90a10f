#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kinema::tracking {

// How a run stands or ended: summary.json, for scripts.
struct Summary {
  struct Best {
    std::string metric;
    double value = 0;
    std::int64_t epoch = 0;
  };
  struct Evaluation {
    std::int64_t clips = 0;
    std::int64_t evaluated = 0;  // the others could not be read
  };
  std::string status;  // "running", "finished", "stopped", "failed"
  std::optional<Best> best;
  std::int64_t epochs = 0;
  std::int64_t steps = 0;
  double wall_s = 0;
  double peak_rss_mb = 0;
  std::string reason;                    // why it stopped or failed; may be empty
  std::optional<Evaluation> evaluation;  // the latest one
};

// Whole or not at all. Numbers that are not finite become null.
void write_summary(const std::string& folder, const Summary& summary);

// Empty when there is none; Error(data) when it is malformed.
std::optional<Summary> read_summary(const std::string& folder);

}  // namespace kinema::tracking
