#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "kinema/error.h"

namespace kinema::test {

// A folder of its own, in memory where that exists (thousands of small checkpoints are written), removed at
// the end of the test.
class Scratch {
 public:
  Scratch() {
    const std::string memory = "/dev/shm/";
    std::string pattern =
        (::access(memory.c_str(), W_OK) == 0 ? memory : testing::TempDir()) + "kinema-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string slurp(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void spit(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

// The error's text, or "" when nothing was thrown.
template <class F>
std::string error_of(F call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace kinema::test
