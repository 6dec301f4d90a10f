#include "row.h"

#include <algorithm>
#include <map>
#include <set>

#include "annotations/csv.h"
#include "annotations/paths.h"
#include "kinema/suggest.h"

namespace kinema::list {
namespace {

using namespace annotations;

std::vector<std::string> cut(const std::string& text, char separator) {
  std::vector<std::string> fields = csv_fields(text, separator).value_or(std::vector<std::string>{});
  for (std::string& field : fields) field = trimmed(field);
  return fields;
}

// White space: a path in front takes what the other columns leave over.
std::vector<std::string> cut_at_spaces(const std::string& text, const std::vector<std::string>& columns) {
  std::vector<std::string> fields = words(text);
  const std::size_t after = columns.size() - 1;
  if (columns.front() != "path" || columns.back() == "labels" || fields.size() <= columns.size())
    return fields;
  // The text up to the last columns, spaces inside it as they are.
  std::string path = trimmed(text);
  for (std::size_t i = 0; i < after; ++i)
    path = trimmed(path.substr(0, path.size() - fields[fields.size() - 1 - i].size()));
  fields.erase(fields.begin(), fields.end() - static_cast<std::ptrdiff_t>(after));
  fields.insert(fields.begin(), path);
  return fields;
}

std::vector<std::string> fields_of(const std::string& text, const RowRules& rules) {
  switch (rules.separator) {
    case Separator::comma:
      return cut(text, ',');
    case Separator::tab:
      return cut(text, '\t');
    case Separator::space:
      return cut_at_spaces(text, rules.columns);
    case Separator::detect:
      break;
  }
  if (text.find('\t') != std::string::npos) return cut(text, '\t');
  // Labels with commas between them: then columns have none.
  if (rules.label_separator == ",") return cut_at_spaces(text, rules.columns);
  const std::vector<std::string> by_comma = cut(text, ',');
  const bool commas = by_comma.size() == rules.columns.size() && rules.columns.size() > 1;
  return commas ? by_comma : cut_at_spaces(text, rules.columns);
}

// Numbers of a row by column.
using Numbers = std::map<std::string, double>;

void set_span(const Numbers& numbers, Row& row) {
  const auto value = [&](const char* name) {
    const auto at = numbers.find(name);
    return at == numbers.end() ? std::nullopt : std::optional(at->second);
  };
  Clip& clip = row.clip;
  row.first_known = numbers.contains("first") && !clip.pictures.empty();
  // Videos count frames from 0, pictures by their own numbers.
  const double first = value("first").value_or(0);
  clip.first_given = row.first_known;
  if (row.first_known) clip.first_number = static_cast<std::int64_t>(first);
  const double begin = row.first_known ? 0 : first;
  if (const auto last = value("last"))
    clip.span = {Span::Unit::frames, begin, begin + *last - first + 1};
  else if (const auto frames = value("frames"))
    clip.span = {Span::Unit::frames, begin, begin + *frames};
  else if (value("start_s") || value("end_s"))
    clip.span = {Span::Unit::seconds, value("start_s").value_or(0), value("end_s").value_or(1e9)};
  if (const auto fps = value("fps")) clip.fps = *fps;
  if (const auto weight = value("weight")) clip.weight = static_cast<float>(*weight);
}

// Empty: the numbers make sense together.
std::string fault_of(const Numbers& numbers) {
  const auto below = [&](const char* a, const char* b) {
    return numbers.contains(a) && numbers.contains(b) && numbers.at(a) > numbers.at(b);
  };
  if (below("first", "last")) return "last before first";
  if (below("start_s", "end_s") || (numbers.contains("end_s") && numbers.at("end_s") <= 0))
    return "an end before the start";
  if (numbers.contains("frames") && numbers.at("frames") < 1) return "no frames";
  if (numbers.contains("fps") && numbers.at("fps") <= 0) return "a rate of 0";
  return {};
}

std::string text_of_columns(const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : " ") + column;
  return text;
}

std::string expected(const Line& line, const RowRules& rules) {
  return "expected `" + text_of_columns(rules.columns) + "`, got \"" + line.text + "\"";
}

// Puts field `i` where it belongs; what is wrong with it, or nothing.
std::string take_field(const std::vector<std::string>& fields, std::size_t i, const RowRules& rules, Row& row,
                       Numbers& numbers) {
  const std::string& column = rules.columns[i];
  if (column == "labels") {
    row.labels.insert(row.labels.end(), fields.begin() + static_cast<std::ptrdiff_t>(i), fields.end());
  } else if (column == "label") {
    row.labels =
        rules.label_separator.empty() ? std::vector{fields[i]} : split(fields[i], rules.label_separator[0]);
  } else if (column == "path") {
    row.clip.path = fields[i];
  } else if (column == "key") {
    row.clip.key = fields[i];
  } else if (column != "skip") {
    const auto number = as_number(fields[i]);
    if (!number || *number < 0)
      return "not a number: expected one in the column " + column + ", got \"" + fields[i] + "\"";
    numbers[column] = *number;
  }
  return {};
}

// What is wrong with a row whose fields are well; empty: nothing.
std::string fault_of_row(const Row& row, const Numbers& numbers, const Line& line, const RowRules& rules) {
  const bool one_label =
      rules.label_separator.empty() &&
      std::find(rules.columns.begin(), rules.columns.end(), "label") != rules.columns.end();
  if (one_label && row.labels.empty()) return "no label: " + expected(line, rules);
  if (row.clip.path.empty()) return "no path: " + expected(line, rules);
  const std::string fault = fault_of(numbers);
  return fault.empty() ? fault : "not a part of a video, " + fault + ": " + expected(line, rules);
}

}  // namespace

const std::vector<std::string>& column_names() {
  static const std::vector<std::string> names = {"path", "label",   "labels", "first",  "last", "frames",
                                                 "fps",  "start_s", "end_s",  "weight", "key",  "skip"};
  return names;
}

std::vector<std::string> column_faults(const std::vector<std::string>& columns) {
  std::vector<std::string> faults;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i];
    if (std::find(column_names().begin(), column_names().end(), name) == column_names().end())
      faults.push_back("unknown column: expected " + one_of_text(column_names()) + ", got \"" + name + "\"");
    else if (name != "skip" && !seen.insert(name).second)
      faults.push_back("repeated column: expected each once, got \"" + name + "\" twice");
    if (name == "labels" && i + 1 < columns.size())
      faults.push_back("a column after labels: expected labels last, got \"" + columns[i + 1] + "\"");
  }
  if (!seen.contains("path")) faults.push_back("no path: expected a column \"path\", got none");
  if (seen.contains("label") && seen.contains("labels"))
    faults.push_back("exclusive columns: expected label or labels, got both");
  if (seen.contains("last") && seen.contains("frames"))
    faults.push_back("exclusive columns: expected last or frames, got both");
  const bool by_frame = seen.contains("first") || seen.contains("last") || seen.contains("frames");
  if (by_frame && (seen.contains("start_s") || seen.contains("end_s")))
    faults.push_back("exclusive columns: expected frames or seconds, got both");
  if (seen.contains("first") && !seen.contains("last") && !seen.contains("frames"))
    faults.push_back("first alone: expected last or frames beside it, got neither");
  return faults;
}

std::optional<Row> read_row(const Line& line, const RowRules& rules, Complaints& complaints) {
  const std::vector<std::string> fields = fields_of(line.text, rules);
  const std::size_t count = rules.columns.size();
  const bool open_end = rules.columns.back() == "labels";
  Row row;
  row.clip.pictures = rules.pictures;
  Numbers numbers;
  std::string fault, hint;
  if (open_end ? fields.size() + 1 < count : fields.size() != count) {
    fault = "not a row: " + expected(line, rules);
  } else {
    for (std::size_t i = 0; i < count && fault.empty(); ++i)
      fault = take_field(fields, i, rules, row, numbers);
    std::erase(row.labels, "");
    if (fault.empty()) fault = fault_of_row(row, numbers, line, rules);
    if (fault.empty() && !row.clip.path.empty()) {
      fault = refused(row.clip.path, rules.allow_absolute);
      if (!fault.empty()) hint = "allow_absolute = true permits it";
    }
  }
  if (!fault.empty()) {
    complaints.add(line.number, std::move(fault), std::move(hint));
    return std::nullopt;
  }
  set_span(numbers, row);
  return row;
}

}  // namespace kinema::list
