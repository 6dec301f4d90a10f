#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/error.h"
#include "kinema/value.h"

namespace kinema::config {

// Reads the file that `a=@file.toml` names, as a table; nothing, and problems, when it cannot be read.
using ReadFile = std::function<std::optional<Value>(const std::string& name, const Origin& said_at)>;

// Applies one override to the merged layers:
//   a.b=value    sets a key; the value is TOML, else a string; a table replaces whole
//   a=@file      sets a key to the table that a file holds
//   a+=value     adds to a list, which begins empty where there is none; a list adds its elements
//   ~a.b         deletes a key, or an element by its index
// `origin` is its source: "command line", "KINEMA_SET".
void apply_override(Value& root, std::string_view text, const Origin& origin, const ReadFile& read,
                    std::vector<Problem>& problems);

// KINEMA_SET as single overrides: separated by white space, except inside quotes and brackets.
std::vector<std::string> split_overrides(std::string_view text);

}  // namespace kinema::config
