#pragma once

#include <string>
#include <string_view>

#include "kinema/value.h"

namespace kinema::checkpoint {

// A Value as JSON text and back, exactly: integer and real stay apart, every double returns bit by bit (all
// NaNs become one), tables keep their order, strings may hold any bytes. Origins are not kept.
//   NaN, +-infinity            {"$real": "nan"}, "inf", "-inf"
//   text that is not UTF-8     {"$bytes": "ff00"}
//   a key that starts with $   one more $ in front
std::string value_to_json(const Value& value);

// Throws Error(data) naming `where` for text that value_to_json does not write: malformed JSON, duplicate
// keys, nesting above 100 levels, integers above 63 bits.
Value value_from_json(std::string_view text, const std::string& where);

}  // namespace kinema::checkpoint
