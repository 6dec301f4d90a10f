#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/error.h"
#include "kinema/value.h"

namespace kinema::config {

// Puts a stronger layer on top of a weaker one: tables are merged key by key, everything else is replaced.
void merge_into(Value& weaker, const Value& stronger);

// "model.depth", "callback.0.patience", "data.\"odd name\".x" in parts; nothing when a part is empty or a
// quote is not closed.
std::optional<std::vector<std::string>> split_key(std::string_view key);

// The value at a key, with tables made on the way where `make` gives an origin for them. A part that is a
// number is an index where the value is an array. Null, and a problem of `origin`, when the way is barred.
Value* reach(Value& root, const std::vector<std::string>& key, bool make, const Origin& origin,
             std::vector<Problem>& problems);

}  // namespace kinema::config
