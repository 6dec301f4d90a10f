#pragma once

#include <optional>
#include <string>
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

// What stands in one line. Where fields are separated by white space and the first column is the path, the
// path may contain spaces. Bad lines are added to `complaints` and give nothing.
struct Row {
  annotations::Clip clip;
  std::vector<std::string> labels;
  bool first_known = false;  // the row says the number of the first picture
};
std::optional<Row> read_row(const annotations::Line& line, const RowRules& rules,
                            annotations::Complaints& complaints);

}  // namespace kinema::list
