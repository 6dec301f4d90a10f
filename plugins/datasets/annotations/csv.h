#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::annotations {

// The fields of one line of comma separated values (RFC 4180): "a ""b"", c" is one field. A field that starts
// with a quote must end with one; quotes inside an unquoted field are characters. No field spans lines.
// Nothing when a quote stays open or text follows a closing one.
std::optional<std::vector<std::string>> csv_fields(std::string_view line, char separator = ',');
// The same without copies: `fields` are parts of the line, or of `unquoted` where they have quotes. False for
// nothing.
bool csv_fields(std::string_view line, char separator, std::vector<std::string_view>& fields,
                std::deque<std::string>& unquoted);

}  // namespace kinema::annotations
