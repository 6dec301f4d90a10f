#pragma once

#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/checkpoint/file_system.h"

namespace kinema::checkpoint {

// Thrown in place of a call: the process ends here, nothing after it reaches the disk.
struct Crash {};

enum class Fault { none, no_space, io_error, interrupted, short_write, crash };

// The real file system, whose call number `at` (from 0) goes wrong once. After a crash every call throws;
// only close() still closes, since destructors call it.
class FaultyFileSystem : public FileSystem {
 public:
  Fault fault = Fault::none;
  int at = -1;
  int calls = 0;
  bool can_exchange = true;
  std::function<void()> before_call;

  int open_new(const std::string& path) override {
    return with<int>([&] { return real_.open_new(path); });
  }
  int open_read(const std::string& path) override {
    return with<int>([&] { return real_.open_read(path); });
  }
  int open_folder(const std::string& path) override {
    return with<int>([&] { return real_.open_folder(path); });
  }
  ssize_t write(int fd, const void* data, std::size_t bytes) override {
    const std::size_t allowed = fault == Fault::short_write && calls == at ? (bytes + 1) / 2 : bytes;
    return with<ssize_t>([&] { return real_.write(fd, data, allowed); });
  }
  ssize_t read_at(int fd, void* data, std::size_t bytes, std::int64_t offset) override {
    const std::size_t allowed = fault == Fault::short_write && calls == at ? (bytes + 1) / 2 : bytes;
    return with<ssize_t>([&] { return real_.read_at(fd, data, allowed, offset); });
  }
  int status_of(int fd, FileStatus& out) override {
    return with<int>([&] { return real_.status_of(fd, out); });
  }
  int fsync(int) override {
    return with<int>([] { return 0; });
  }
  int close(int fd) override {
    const int result = real_.close(fd);
    if (crashed_ || fault == Fault::crash) return result;  // throwing from a destructor would end the test
    return with<int>([&] { return result; });
  }
  int status(const std::string& path, FileStatus& out) override {
    return with<int>([&] { return real_.status(path, out); });
  }
  int list(const std::string& path, std::vector<std::string>& names) override {
    return with<int>([&] { return real_.list(path, names); });
  }
  int read_link(const std::string& path, std::string& target) override {
    return with<int>([&] { return real_.read_link(path, target); });
  }
  int make_folder(const std::string& path) override {
    return with<int>([&] { return real_.make_folder(path); });
  }
  int make_link(const std::string& target, const std::string& path) override {
    return with<int>([&] { return real_.make_link(target, path); });
  }
  int rename(const std::string& from, const std::string& to) override {
    return with<int>([&] { return real_.rename(from, to); });
  }
  int exchange(const std::string& a, const std::string& b) override {
    if (!can_exchange) return -EINVAL;
    return with<int>([&] { return real_.exchange(a, b); });
  }
  int remove_file(const std::string& path) override {
    return with<int>([&] { return real_.remove_file(path); });
  }
  int remove_folder(const std::string& path) override {
    return with<int>([&] { return real_.remove_folder(path); });
  }

 private:
  template <class T, class F>
  T with(F call) {
    if (crashed_) throw Crash{};
    if (before_call) before_call();
    if (calls++ != at) return call();
    switch (fault) {
      case Fault::no_space:
        return -ENOSPC;
      case Fault::io_error:
        return -EIO;
      case Fault::interrupted:
        return -EINTR;
      case Fault::crash:
        crashed_ = true;
        throw Crash{};
      default:
        return call();
    }
  }

  FileSystem& real_ = real_file_system();
  bool crashed_ = false;
};

}  // namespace kinema::checkpoint
