#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>

struct KinemaPluginDescriptor;

namespace kinema::plugin {

// A library file whose build stamp has been read from its bytes and equals the host's. It stays open, so that
// load_library() can tell whether the path still names the same file.
class CheckedLibrary {
 public:
  CheckedLibrary(CheckedLibrary&& other) noexcept;
  CheckedLibrary& operator=(CheckedLibrary&&) = delete;
  ~CheckedLibrary();

  const std::filesystem::path& path() const noexcept { return path_; }
  const std::string& stamp() const noexcept { return stamp_; }  // the text of the build stamp
  int file() const noexcept { return file_; }                   // open for reading
  const struct stat& facts() const noexcept { return facts_; }  // of the moment of the check

 private:
  friend CheckedLibrary check_library(const std::filesystem::path& path);
  explicit CheckedLibrary(std::filesystem::path path);

  std::filesystem::path path_;
  int file_ = -1;
  struct stat facts_ {};
  std::string stamp_;
};

// First step of the door, *peek*: reads the file's bytes; no code of the library runs. Throws Error(plugin)
// with the reason: not a regular file, writable by everybody, not a library for this machine, no stamp, built
// with other versions (all differences).
CheckedLibrary check_library(const std::filesystem::path& path);

// Second step: loads the library (its static initialisers run) and checks its descriptor: all fields are
// present and the SDK's major version is the host's. The library is never unloaded. Throws Error(plugin): a
// missing symbol or dependency in the words of the dynamic linker, another file at the path than was checked,
// a bad descriptor with all that is wrong.
const KinemaPluginDescriptor& load_library(const CheckedLibrary& library);

}  // namespace kinema::plugin
