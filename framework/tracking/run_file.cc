#include "framework/tracking/run_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "kinema/error.h"

namespace kinema::tracking {
namespace {

[[noreturn]] void fail(const std::string& path, const char* action) {
  throw Error(ErrorKind::run, path, fmt::format("cannot {}: {}", action, std::strerror(errno)));
}

template <class F>
auto uninterrupted(F call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

int open_or_fail(const std::string& path, int flags) {
  const int fd = uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
  if (fd < 0) fail(path, "open");
  return fd;
}

void write_all(int fd, const std::string& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = uninterrupted([&] { return ::write(fd, text.data(), text.size()); });
    if (written < 0) fail(path, "write");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string temporary_of(const std::string& path) { return fmt::format("{}.tmp-{}", path, ::getpid()); }

void sync_parent(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const int fd = open_or_fail(parent.empty() ? "." : parent.string(), O_RDONLY | O_DIRECTORY);
  uninterrupted([&] { return ::fsync(fd); });
  ::close(fd);
}

void rename_over(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) < 0) {
    const int error = errno;
    ::unlink(from.c_str());
    errno = error;
    fail(to, "replace");
  }
  sync_parent(to);
}

}  // namespace

void write_atomically(const std::string& path, std::string_view text) {
  const std::string temporary = temporary_of(path);
  const int fd = open_or_fail(temporary, O_WRONLY | O_CREAT | O_TRUNC);
  try {
    write_all(fd, temporary, text);
    if (uninterrupted([&] { return ::fsync(fd); }) < 0) fail(temporary, "flush to disk");
  } catch (const Error&) {
    ::close(fd);
    ::unlink(temporary.c_str());
    throw;
  }
  ::close(fd);
  rename_over(temporary, path);
}

void link_atomically(const std::string& target, const std::string& path) {
  const std::string temporary = temporary_of(path);
  ::unlink(temporary.c_str());
  if (::symlink(target.c_str(), temporary.c_str()) < 0) fail(path, "make the link");
  rename_over(temporary, path);
}

std::string read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

AppendFile::AppendFile(std::string path) : path_(std::move(path)) {
  fd_ = open_or_fail(path_, O_WRONLY | O_CREAT | O_APPEND);
}

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

void AppendFile::append(std::string_view text) { write_all(fd_, path_, text); }

void AppendFile::sync() {
  if (uninterrupted([&] { return ::fsync(fd_); }) < 0) fail(path_, "flush to disk");
}

}  // namespace kinema::tracking
