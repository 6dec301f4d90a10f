#include "row.h"

#include <algorithm>
#include <set>

#include "annotations/csv.h"
#include "annotations/paths.h"
#include "kinema/suggest.h"

namespace kinema::list {

using namespace annotations;

namespace {

std::string text_of_columns(const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : " ") + column;
  return text;
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

RowReader::RowReader(RowRules rules, Complaints& complaints)
    : rules_(std::move(rules)), complaints_(complaints) {
  const std::vector<std::string>& names = column_names();  // in the order of Column
  for (const std::string& column : rules_.columns)
    columns_.push_back(static_cast<Column>(std::find(names.begin(), names.end(), column) - names.begin()));
  one_label_ = rules_.label_separator.empty() &&
               std::find(columns_.begin(), columns_.end(), Column::label) != columns_.end();
  blank_.clip.pictures = rules_.pictures;
}

bool RowReader::cut(std::string_view text, char separator) {
  if (!csv_fields(text, separator, fields_, unquoted_)) fields_.clear();
  for (std::string_view& field : fields_) field = trim(field);
  return fields_.size() == columns_.size();
}

// White space: a path in front takes what the other columns leave over.
void RowReader::cut_at_spaces(std::string_view text) {
  words(text, fields_);
  if (columns_.front() != Column::path || columns_.back() == Column::labels ||
      fields_.size() <= columns_.size())
    return;
  // The text up to the last columns, spaces inside it as they are.
  const auto last = fields_.end() - static_cast<std::ptrdiff_t>(columns_.size());
  const char* begin = fields_.front().data();
  *last = {begin, static_cast<std::size_t>(last->data() + last->size() - begin)};
  fields_.erase(fields_.begin(), last);
}

void RowReader::cut_fields(std::string_view text) {
  switch (rules_.separator) {
    case Separator::comma:
      cut(text, ',');
      return;
    case Separator::tab:
      cut(text, '\t');
      return;
    case Separator::space:
      cut_at_spaces(text);
      return;
    case Separator::detect:
      break;
  }
  if (text.find('\t') != std::string_view::npos) {
    cut(text, '\t');
    return;
  }
  // Labels with commas between them: then columns have none.
  const bool commas = rules_.label_separator != "," && columns_.size() > 1 && cut(text, ',');
  if (!commas) cut_at_spaces(text);
}

std::string RowReader::expected(const Line& line) const {
  return "expected `" + text_of_columns(rules_.columns) + "`, got \"" + line.text + "\"";
}

void RowReader::take_labels(std::string_view field) {
  if (rules_.label_separator.empty()) {
    row_.labels.push_back(field);
    return;
  }
  for (;;) {
    const std::size_t at = field.find(rules_.label_separator[0]);
    row_.labels.push_back(field.substr(0, at));
    if (at == std::string_view::npos) return;
    field.remove_prefix(at + 1);
  }
}

// Puts a field where it belongs; what is wrong with it, or nothing.
std::string RowReader::take_field(std::size_t index) {
  const std::string_view field = fields_[index];
  switch (columns_[index]) {
    case Column::path:
      row_.clip.path = field;
      return {};
    case Column::key:
      row_.clip.key = field;
      return {};
    case Column::label:
      take_labels(field);
      return {};
    case Column::labels:
      row_.labels.assign(fields_.begin() + static_cast<std::ptrdiff_t>(index), fields_.end());
      return {};
    case Column::skip:
      return {};
    default:
      break;
  }
  const auto value = as_number(field);
  if (!value || *value < 0)
    return "not a number: expected one in the column " + rules_.columns[index] + ", got \"" +
           std::string(field) + "\"";
  number(columns_[index]) = value;
  return {};
}

// Empty: the numbers make sense together.
std::string RowReader::fault_of_numbers() const {
  const auto below = [&](Column a, Column b) { return number(a) && number(b) && *number(a) > *number(b); };
  if (below(Column::first, Column::last)) return "last before first";
  if (below(Column::start_s, Column::end_s) || (number(Column::end_s) && *number(Column::end_s) <= 0))
    return "an end before the start";
  if (number(Column::frames) && *number(Column::frames) < 1) return "no frames";
  if (number(Column::fps) && *number(Column::fps) <= 0) return "a rate of 0";
  return {};
}

// What is wrong with a row whose fields are well; empty: nothing.
std::string RowReader::fault_of_row(const Line& line) const {
  if (one_label_ && row_.labels.empty()) return "no label: " + expected(line);
  if (row_.clip.path.empty()) return "no path: " + expected(line);
  const std::string fault = fault_of_numbers();
  return fault.empty() ? fault : "not a part of a video, " + fault + ": " + expected(line);
}

void RowReader::set_span() {
  Clip& clip = row_.clip;
  row_.first_known = number(Column::first) && !clip.pictures.empty();
  // Videos count frames from 0, pictures by their own numbers.
  const double first = number(Column::first).value_or(0);
  clip.first_given = row_.first_known;
  if (row_.first_known) clip.first_number = static_cast<std::int64_t>(first);
  const double begin = row_.first_known ? 0 : first;
  if (const auto last = number(Column::last))
    clip.span = {Span::Unit::frames, begin, begin + *last - first + 1};
  else if (const auto frames = number(Column::frames))
    clip.span = {Span::Unit::frames, begin, begin + *frames};
  else if (number(Column::start_s) || number(Column::end_s))
    clip.span = {Span::Unit::seconds, number(Column::start_s).value_or(0),
                 number(Column::end_s).value_or(1e9)};
  if (const auto fps = number(Column::fps)) clip.fps = *fps;
  if (const auto weight = number(Column::weight)) clip.weight = static_cast<float>(*weight);
}

Row* RowReader::read(const Line& line) {
  row_ = blank_;
  numbers_ = {};
  cut_fields(line.text);
  const std::size_t count = columns_.size();
  std::string fault, hint;
  if (columns_.back() == Column::labels ? fields_.size() + 1 < count : fields_.size() != count) {
    fault = "not a row: " + expected(line);
  } else {
    for (std::size_t i = 0; i < count && fault.empty(); ++i) fault = take_field(i);
    std::erase(row_.labels, std::string_view());
    if (fault.empty()) fault = fault_of_row(line);
    if (fault.empty()) {
      fault = refused(row_.clip.path, rules_.allow_absolute);
      if (!fault.empty()) hint = "allow_absolute = true permits it";
    }
  }
  if (!fault.empty()) {
    complaints_.add(line.number, std::move(fault), std::move(hint));
    return nullptr;
  }
  set_span();
  return &row_;
}

}  // namespace kinema::list
