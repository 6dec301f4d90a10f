#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace kinema::app {

// JSON as text on one line, or indented. Strings may hold any bytes: file names need not be UTF-8. What is
// not becomes U+FFFD.
inline std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}
inline std::string json_lines(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace kinema::app
