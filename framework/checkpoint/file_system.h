#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kinema::checkpoint {

enum class FileType { none, regular, folder, link, other };

struct FileStatus {
  FileType type = FileType::none;
  std::int64_t bytes = 0;
};

// All file I/O of this room, one system call a method, so that tests can make any call fail. A result below
// zero is -errno. Nothing is retried and nothing is thrown here: that is file_io.h's part.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual int open_new(const std::string& path) = 0;  // for writing; -EEXIST when something is there
  virtual int open_read(const std::string& path) = 0;
  virtual int open_folder(const std::string& path) = 0;  // for fsync
  virtual ssize_t write(int fd, const void* data, std::size_t bytes) = 0;
  virtual ssize_t read_at(int fd, void* data, std::size_t bytes, std::int64_t offset) = 0;
  virtual int status_of(int fd, FileStatus& out) = 0;
  virtual int fsync(int fd) = 0;
  virtual int close(int fd) = 0;

  virtual int status(const std::string& path, FileStatus& out) = 0;  // of a link itself; absent: type none
  virtual int list(const std::string& path, std::vector<std::string>& names) = 0;  // without . and ..
  virtual int read_link(const std::string& path, std::string& target) = 0;
  virtual int make_folder(const std::string& path) = 0;
  virtual int make_link(const std::string& target, const std::string& path) = 0;
  virtual int rename(const std::string& from, const std::string& to) = 0;
  // Swaps two names in one step; -EINVAL or -ENOSYS where the file system cannot.
  virtual int exchange(const std::string& a, const std::string& b) = 0;
  virtual int remove_file(const std::string& path) = 0;
  virtual int remove_folder(const std::string& path) = 0;
};

// The operating system's. Any thread.
FileSystem& real_file_system();

}  // namespace kinema::checkpoint
