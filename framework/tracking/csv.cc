#include "framework/tracking/csv.h"

#include "framework/tracking/metrics_row.h"

namespace kinema::tracking {

std::string csv_text(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += ',';
      text += csv_field(row[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace kinema::tracking
