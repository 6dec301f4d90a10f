#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>

#include "kinema/error.h"

namespace kinema::plugin {

namespace fs = std::filesystem;

// A built library of tests/bad_plugins/.
inline fs::path exhibit(const std::string& name) {
  return fs::path(KINEMA_BUILD_DIR) / "tests" / "bad_plugins" / (name + ".so");
}

// A folder of its own, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "kinema_plugin_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = fs::canonical(name);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

inline std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

inline fs::path write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

// Replaces text of the same length everywhere.
inline std::string patched(std::string bytes, const std::string& from, const std::string& to) {
  if (from.size() != to.size()) throw std::logic_error("a patch keeps the length");
  std::size_t found = 0;
  for (std::size_t at = 0; (at = bytes.find(from, at)) != std::string::npos; at += to.size(), ++found)
    bytes.replace(at, to.size(), to);
  if (found == 0) throw std::logic_error("nothing to patch: " + from);
  return bytes;
}

// The text of the Error that `call` throws, with the path written as FILE.
inline std::string reason(const std::function<void()>& call, const fs::path& path = {}) {
  try {
    call();
  } catch (const Error& error) {
    std::string text = error.what();
    const std::string name = path.string();
    for (std::size_t at; !name.empty() && (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), "FILE");
    return text;
  }
  return "nothing was thrown";
}

}  // namespace kinema::plugin
