#pragma once

// Private to this folder.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kinema::data {

// A folder of files that may be lost at any time, shared by the processes of one machine, that never holds
// more than its budget. Files appear whole or not at all. Thread safe.
class CacheFolder {
 public:
  struct Options {
    std::filesystem::path folder;
    std::int64_t budget_bytes = 0;
    bool remove_when_unused = false;
  };
  // Throws Error(run) naming the folder when it cannot be made or others may write to it.
  explicit CacheFolder(Options options);
  ~CacheFolder();
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  enum class Outcome { stored, there_already, refused };
  // A file out of parts. Makes room by removing the files that were used last the longest time ago; `removed`
  // is told their names. Refused: larger than the budget, or the disk takes no more.
  Outcome put(const std::string& name, std::span<const std::span<const std::uint8_t>> parts,
              const std::function<void(const std::string&)>& removed);
  // The file, open to read; -1 when it is not there. The caller closes it.
  int open(const std::string& name) const;
  // Notes a use; false when the file is gone.
  bool touch(const std::string& name) const;
  void remove(const std::string& name);

  std::int64_t used_bytes() const;  // by all processes

 private:
  struct File;
  struct Shared;
  std::vector<File> files() const;
  void make_room(std::int64_t bytes, const std::function<void(const std::string&)>& removed);
  bool write(const std::string& name, std::span<const std::span<const std::uint8_t>> parts) const;
  void enter();

  Options options_;
  int folder_ = -1, users_ = -1, lock_ = -1;
  Shared* shared_ = nullptr;  // mapped from a file of the folder
};

}  // namespace kinema::data
