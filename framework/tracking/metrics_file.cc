#include "framework/tracking/metrics_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "framework/tracking/metrics_row.h"
#include "kinema/error.h"

namespace kinema::tracking {
namespace {

struct History {
  std::vector<MetricsRow> rows;
  std::int64_t damaged_lines = 0;
  bool started = false;  // the first line is there
};

void check_schema(std::string_view line, const std::string& path) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  const int schema = json.is_object() && json.contains("schema") && json["schema"].is_number_integer()
                         ? json["schema"].get<int>()
                         : 0;
  if (schema > kMetricsSchema)
    throw Error(
        ErrorKind::usage, path,
        fmt::format("metrics schema is too new: expected at most {}, got {}", kMetricsSchema, schema));
  if (schema < 1)
    throw Error(ErrorKind::data, path, "not a metrics file: expected {\"schema\":1} in the first line");
}

History read_history(const std::string& path) {
  History history;
  const std::string text = read_whole(path);
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!history.started) {
      // A torn first line means that nothing followed it.
      if (end == std::string_view::npos) return {{}, 1, false};
      check_schema(line, path);
      history.started = true;
    } else if (auto row = row_from_json(line)) {
      history.rows.push_back(std::move(*row));
    } else {
      ++history.damaged_lines;
    }
  }
  return history;
}

std::string schema_line() { return fmt::format("{{\"schema\":{}}}\n", kMetricsSchema); }

std::string jsonl_of(const std::string& folder) { return folder + "/metrics.jsonl"; }
std::string csv_of(const std::string& folder) { return folder + "/metrics.csv"; }

void check_row(const MetricsRow& row) {
  std::set<std::string> seen(std::begin(kFixedColumns), std::end(kFixedColumns));
  seen.insert(kNonFinite);
  for (const auto& [name, value] : row.values)
    if (name.empty() || !seen.insert(name).second)
      throw Error(ErrorKind::usage, "metric '" + name + "'",
                  "bad name: expected one that is not empty, not a column of its own and given once");
}

}  // namespace

MetricsFile::MetricsFile(std::string folder, std::optional<std::int64_t> resumed_step)
    : folder_(std::move(folder)) {
  History history = read_history(jsonl_of(folder_));
  damaged_lines_ = history.damaged_lines;
  if (resumed_step)
    removed_rows_ = static_cast<std::int64_t>(
        std::erase_if(history.rows, [&](const MetricsRow& row) { return row.step > *resumed_step; }));

  std::string text = schema_line();
  for (const MetricsRow& row : history.rows) {
    add_columns(row);
    text += row_to_json(row) + "\n";
  }
  write_atomically(jsonl_of(folder_), text);
  write_atomically(csv_of(folder_), csv_text(history.rows));
  jsonl_.emplace(jsonl_of(folder_));
  csv_.emplace(csv_of(folder_));
}

void MetricsFile::append(const MetricsRow& row) {
  check_row(row);
  jsonl_->append(row_to_json(row) + "\n");
  if (!add_columns(row)) {
    csv_->append(csv_line(row));
    return;
  }
  // Rare: the rows are read back so that memory does not grow with the run.
  write_atomically(csv_of(folder_), csv_text(read_history(jsonl_of(folder_)).rows));
  csv_.emplace(csv_of(folder_));
}

void MetricsFile::sync() {
  jsonl_->sync();
  csv_->sync();
}

bool MetricsFile::add_columns(const MetricsRow& row) {
  const std::size_t before = columns_.size();
  for (const auto& value : row.values)
    if (std::find(columns_.begin(), columns_.end(), value.first) == columns_.end())
      columns_.push_back(value.first);
  return columns_.size() > before;
}

std::string MetricsFile::csv_text(const std::vector<MetricsRow>& rows) const {
  std::string text = "step,epoch,split,time";
  for (const std::string& column : columns_) text.append(",").append(csv_field(column));
  text += '\n';
  for (const MetricsRow& row : rows) text += csv_line(row);
  return text;
}

std::string MetricsFile::csv_line(const MetricsRow& row) const {
  std::string line =
      fmt::format("{},{},{},{}", row.step, row.epoch, csv_field(row.split), number_text(row.time));
  for (const std::string& column : columns_) {
    const auto value = std::find_if(row.values.begin(), row.values.end(),
                                    [&](const auto& candidate) { return candidate.first == column; });
    line += ',';
    if (value != row.values.end()) line += number_text(value->second);
  }
  line += '\n';
  return line;
}

std::vector<MetricsRow> read_metrics(const std::string& folder) {
  return read_history(jsonl_of(folder)).rows;
}

}  // namespace kinema::tracking
