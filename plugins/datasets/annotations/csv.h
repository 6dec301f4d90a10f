#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::annotations {

// The fields of one line of comma separated values (RFC 4180): "a ""b"", c" is one field. A field that starts
// with a quote must end with one; quotes inside an unquoted field are characters. No field spans lines.
// Nothing when a quote stays open or text follows a closing one.
std::optional<std::vector<std::string>> csv_fields(std::string_view line, char separator = ',');

}  // namespace kinema::annotations
