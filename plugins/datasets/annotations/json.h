#pragma once

#include <filesystem>

#include "annotations/text_file.h"
#include "kinema/value.h"

namespace kinema::annotations {

// A JSON file as a Value: keys keep their order, null is `none`, and each table, list and string knows its
// line (origin.line). Throws Error(data) with file:line for text that is not JSON.
Value read_json(const std::filesystem::path& file, const Expected& expected = {"a JSON file", {}});

// The text of a string, or of a whole number; nothing for anything else and where `value` is null.
std::optional<std::string> text_of(const Value* value);
// A number, also one that stands in quotes.
std::optional<double> number_of(const Value* value);

}  // namespace kinema::annotations
