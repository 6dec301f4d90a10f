#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "framework/tracking/metrics_file.h"

namespace kinema::tracking {

inline constexpr int kMetricsSchema = 1;
inline constexpr const char* kFixedColumns[] = {"step", "epoch", "split", "time"};
inline constexpr const char* kNonFinite = "non_finite";

std::string row_to_json(const MetricsRow& row);  // one line, without its end
// Empty for a line that is not a whole row.
std::optional<MetricsRow> row_from_json(std::string_view line);

std::string number_text(double value);  // shortest that reads back exactly; "nan", "inf"
std::string csv_field(const std::string& text);

}  // namespace kinema::tracking
