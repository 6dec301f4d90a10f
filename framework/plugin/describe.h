#pragma once

#include <string>
#include <vector>

#include "framework/plugin/registry.h"

namespace kinema::plugin {

// One option as plain text, ready for a table or for JSON. Options of nested tables follow their table.
struct OptionRow {
  std::string path;  // "head.dropout"
  int depth = 0;     // 0: not nested
  std::string type;  // "integer", "list of strings", "dataset component", "table"
  bool required = false;
  std::string default_value;  // TOML text; "none": no value; empty for required options and tables
  std::string allowed;        // "one of 10, 18, 34"; empty: everything of the type
  std::string help;
  std::string component_kind;  // of a component or a list of them
  std::vector<std::string> old_names;
};
std::vector<OptionRow> option_rows(const OptionTable& table);

// A piece of an experiment file that names the component: required options with a value to fill in, the
// others with their defaults, those without a value as comments. Valid TOML.
std::string example_toml(const ComponentInfo& info);

// What `kinema describe` prints: help, library, table of options, presets, example.
std::string describe_text(const ComponentInfo& info);

// What `kinema list` prints: components by kind, then refused libraries with their reasons. `kind` empty:
// all.
std::string list_text(const Registry& registry, std::string_view kind = {});

// What `kinema plugin list` prints: each library with version, sentence and components, or with reasons.
std::string libraries_text(const Registry& registry);

}  // namespace kinema::plugin
