#include "framework/data/roots.h"

#include <algorithm>

namespace kinema::data {

void add_roots(const Value& options, std::vector<std::filesystem::path>& roots) {
  if (options.is(Value::Type::array))
    for (const Value& each : options.as_array()) add_roots(each, roots);
  if (!options.is(Value::Type::table)) return;
  for (const Value::Entry& entry : options.as_table()) {
    add_roots(entry.value, roots);
    if (entry.key != "root" || !entry.value.is(Value::Type::string)) continue;
    const auto root = std::filesystem::path(entry.value.as_string()).lexically_normal();
    if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
  }
}

}  // namespace kinema::data
