#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

// Private to this plugin: the list of actions.
namespace kinema::ava {

struct LabelMap {
  std::vector<std::string> names;               // by label, in the order of their ids
  std::map<std::int64_t, std::int64_t> labels;  // by the id that stands in the csv
  std::int64_t largest_id = 0;
};

// The text form of a protocol buffer: `item { name: "..." id: 1 }` or `label { name: "..." label_id: 1
// label_type: ... }`. The list of the 60 evaluated actions keeps the ids of the 80. Throws Error(data) with
// file:line of every bad line.
LabelMap read_label_map(const std::filesystem::path& file);

}  // namespace kinema::ava
