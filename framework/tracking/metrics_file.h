#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/tracking/run_file.h"

namespace kinema::tracking {

struct MetricsRow {
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::string split;                                   // "train", "val"
  double time = 0;                                     // seconds since 1970
  std::vector<std::pair<std::string, double>> values;  // "train/loss": 0.5
};

// The history of a run, one row a log point [rank 0, one thread]:
//   metrics.jsonl  first line {"schema":1}; then {"step":..,"epoch":..,"split":..,"time":..,"train/loss":..};
//                  NaN and infinity are null, their text is under "non_finite": {"train/loss":"nan"}
//   metrics.csv    the same with the union of all columns; written anew when a column is new
// A row is there once append() returned, also after a kill; sync() makes it survive a power cut.
class MetricsFile {
 public:
  // Continues what is in `folder`, or starts. A last line torn by a kill is removed. After a resume at step S
  // pass S: later rows describe steps that will be done again and are removed, so that no step is there
  // twice.
  explicit MetricsFile(std::string folder, std::optional<std::int64_t> resumed_step = std::nullopt);

  // Throws Error(usage) for a value named like one of the fixed columns, or twice.
  void append(const MetricsRow& row);
  void sync();

  std::int64_t removed_rows() const { return removed_rows_; }    // later than the resumed step
  std::int64_t damaged_lines() const { return damaged_lines_; }  // torn or malformed, removed

 private:
  bool add_columns(const MetricsRow& row);
  std::string csv_text(const std::vector<MetricsRow>& rows) const;
  std::string csv_line(const MetricsRow& row) const;

  std::string folder_;
  std::vector<std::string> columns_;  // beyond the fixed ones, in order of appearance
  std::int64_t removed_rows_ = 0;
  std::int64_t damaged_lines_ = 0;
  std::optional<AppendFile> jsonl_, csv_;
};

// All whole rows of a metrics.jsonl, for reports; none when the file is absent. Error(usage) for a newer
// schema.
std::vector<MetricsRow> read_metrics(const std::string& folder);

}  // namespace kinema::tracking
