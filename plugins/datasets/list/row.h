#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annotations/clip_list.h"

// Private to this plugin: the columns of a list.
namespace kinema::list {

enum class Separator { detect, space, comma, tab };

struct RowRules {
  std::vector<std::string> columns;  // of kColumns; `labels` takes all fields that are left
  Separator separator = Separator::detect;
  std::string label_separator;  // between several labels of one field; empty: a field is one label
  std::string pictures;         // names of pictures; empty: videos
  bool allow_absolute = false;
};

// What a column may be called.
const std::vector<std::string>& column_names();
// What is wrong with the columns; empty: nothing.
std::vector<std::string> column_faults(const std::vector<std::string>& columns);

// What stands in one line; it is valid as long as the line is and until the next one is read.
struct Row {
  annotations::Clip clip;
  std::vector<std::string_view> labels;
  bool first_known = false;  // the row says the number of the first picture
};

// Reads lines with columns that have no faults. Where fields are separated by white space and the first
// column is the path, the path may contain spaces.
class RowReader {
 public:
  RowReader(RowRules rules, annotations::Complaints& complaints);
  // Bad lines are added to the complaints and give nothing.
  Row* read(const annotations::Line& line);

 private:
  enum class Column { path, label, labels, first, last, frames, fps, start_s, end_s, weight, key, skip };
  static constexpr std::size_t kColumns = 12;

  bool cut(std::string_view text, char separator);
  void cut_at_spaces(std::string_view text);
  void cut_fields(std::string_view text);
  std::string take_field(std::size_t index);
  void take_labels(std::string_view field);
  std::string fault_of_numbers() const;
  std::string fault_of_row(const annotations::Line& line) const;
  std::string expected(const annotations::Line& line) const;
  void set_span();
  std::optional<double>& number(Column column) { return numbers_[static_cast<std::size_t>(column)]; }
  const std::optional<double>& number(Column column) const {
    return numbers_[static_cast<std::size_t>(column)];
  }

  RowRules rules_;
  annotations::Complaints& complaints_;
  std::vector<Column> columns_;
  bool one_label_ = false;  // each line must have
  Row blank_, row_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;
  std::array<std::optional<double>, kColumns> numbers_;
};

}  // namespace kinema::list
