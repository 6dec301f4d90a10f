#include "annotations/csv.h"

#include <algorithm>

namespace kinema::annotations {
namespace {

// Takes a quoted field off the front of `rest`, quotes included.
std::optional<std::string> quoted_field(std::string_view& rest) {
  std::string field;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] != '"') {
      field += rest[at];
    } else if (at + 1 < rest.size() && rest[at + 1] == '"') {
      field += rest[++at];
    } else {
      rest.remove_prefix(at + 1);
      return field;
    }
  }
  return std::nullopt;
}

}  // namespace

bool csv_fields(std::string_view line, char separator, std::vector<std::string_view>& fields,
                std::deque<std::string>& unquoted) {
  fields.clear();
  unquoted.clear();
  for (std::string_view rest = line;;) {
    if (rest.starts_with('"')) {
      std::optional<std::string> field = quoted_field(rest);
      if (!field || (!rest.empty() && rest.front() != separator)) return false;
      fields.push_back(unquoted.emplace_back(std::move(*field)));
    } else {
      const std::size_t end = std::min(rest.find(separator), rest.size());
      fields.push_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    if (rest.empty()) return true;
    rest.remove_prefix(1);
  }
}

std::optional<std::vector<std::string>> csv_fields(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  std::deque<std::string> unquoted;
  if (!csv_fields(line, separator, fields, unquoted)) return std::nullopt;
  return std::vector<std::string>(fields.begin(), fields.end());
}

}  // namespace kinema::annotations
