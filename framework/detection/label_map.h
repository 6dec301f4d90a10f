#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace kinema::detection {

// Class names by id, from AVA's text format: `item { name: "bend" id: 1 }`, also with `label_id`; other
// fields of an item are skipped. Throws Error(data) with the line of what is not understood, for an id or
// name given twice and for a list without items.
std::map<std::int64_t, std::string> read_label_map(const std::filesystem::path& file);

}  // namespace kinema::detection
