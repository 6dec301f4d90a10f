#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace kinema::test {

// A file of reference numbers: tests/golden/<path>.
inline nlohmann::json golden(const std::string& path) {
  std::ifstream file(std::string(KINEMA_GOLDEN_DIR) + "/" + path);
  if (!file) throw std::runtime_error("no golden file " + path);
  return nlohmann::json::parse(file);
}

// Its list of cases, by value: a loop over golden(path)["cases"] would outlive the file.
inline nlohmann::json golden_cases(const std::string& path) { return golden(path).at("cases"); }

}  // namespace kinema::test
