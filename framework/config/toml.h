#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kinema/error.h"
#include "kinema/value.h"

namespace kinema::config {

// A TOML text as a table whose values and keys know their line and column (columns count characters).
// `source` gives the name and the base folder. Nothing, and problems, when the text cannot be taken: a syntax
// error, a key given twice, a date, or beyond the limits of toml_limits.h.
std::optional<Value> parse_toml(std::string_view text, const Origin& source, std::vector<Problem>& problems);

// One value as an override gives it: TOML, or the text itself where it is none. The value and all inside have
// the origin `source`.
Value parse_toml_value(std::string_view text, const Origin& source);

}  // namespace kinema::config
