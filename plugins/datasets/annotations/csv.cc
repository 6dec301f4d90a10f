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

std::optional<std::vector<std::string>> csv_fields(std::string_view line, char separator) {
  std::vector<std::string> fields;
  for (std::string_view rest = line;;) {
    if (rest.starts_with('"')) {
      std::optional<std::string> field = quoted_field(rest);
      if (!field || (!rest.empty() && rest.front() != separator)) return std::nullopt;
      fields.push_back(std::move(*field));
    } else {
      const std::size_t end = std::min(rest.find(separator), rest.size());
      fields.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    if (rest.empty()) return fields;
    rest.remove_prefix(1);
  }
}

}  // namespace kinema::annotations
