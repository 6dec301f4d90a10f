#include "framework/checkpoint/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

namespace kinema::checkpoint {
namespace {

template <class T>
T or_errno(T result) {
  return result < 0 ? static_cast<T>(-errno) : result;
}

FileStatus facts(const struct stat& s) {
  FileStatus status{FileType::other, s.st_size};
  if (S_ISREG(s.st_mode)) status.type = FileType::regular;
  if (S_ISDIR(s.st_mode)) status.type = FileType::folder;
  if (S_ISLNK(s.st_mode)) status.type = FileType::link;
  return status;
}

class RealFileSystem final : public FileSystem {
 public:
  int open_new(const std::string& path) override {
    return or_errno(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  }
  // O_NONBLOCK: opening a named pipe must not wait for a writer.
  int open_read(const std::string& path) override {
    return or_errno(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  }
  int open_folder(const std::string& path) override {
    return or_errno(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ssize_t write(int fd, const void* data, std::size_t bytes) override {
    return or_errno(::write(fd, data, bytes));
  }
  ssize_t read_at(int fd, void* data, std::size_t bytes, std::int64_t offset) override {
    return or_errno(::pread(fd, data, bytes, offset));
  }
  int status_of(int fd, FileStatus& out) override {
    struct stat s;
    if (::fstat(fd, &s) < 0) return -errno;
    out = facts(s);
    return 0;
  }
  int fsync(int fd) override { return or_errno(::fsync(fd)); }
  int close(int fd) override { return or_errno(::close(fd)); }

  int status(const std::string& path, FileStatus& out) override {
    struct stat s;
    if (::lstat(path.c_str(), &s) < 0) {
      out = {};
      return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
    }
    out = facts(s);
    return 0;
  }
  int list(const std::string& path, std::vector<std::string>& names) override {
    names.clear();
    DIR* folder = ::opendir(path.c_str());
    if (folder == nullptr) return -errno;
    errno = 0;
    while (const dirent* entry = ::readdir(folder)) {
      if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
        names.emplace_back(entry->d_name);
      errno = 0;
    }
    const int result = -errno;
    ::closedir(folder);
    return result;
  }
  int read_link(const std::string& path, std::string& target) override {
    char text[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), text, sizeof text);
    if (length < 0) return -errno;
    target.assign(text, static_cast<std::size_t>(length));
    return 0;
  }
  int make_folder(const std::string& path) override { return or_errno(::mkdir(path.c_str(), 0777)); }
  int make_link(const std::string& target, const std::string& path) override {
    return or_errno(::symlink(target.c_str(), path.c_str()));
  }
  int rename(const std::string& from, const std::string& to) override {
    return or_errno(::rename(from.c_str(), to.c_str()));
  }
  int exchange(const std::string& a, const std::string& b) override {
    return or_errno(::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE));
  }
  int remove_file(const std::string& path) override { return or_errno(::unlink(path.c_str())); }
  int remove_folder(const std::string& path) override { return or_errno(::rmdir(path.c_str())); }
};

}  // namespace

FileSystem& real_file_system() {
  static RealFileSystem system;
  return system;
}

}  // namespace kinema::checkpoint
