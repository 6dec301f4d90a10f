#include "framework/tracking/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kinema/error.h"

namespace kinema::tracking {
namespace {

constexpr const char* kLockFile = "run.lock";

// "process 4711", as the holder wrote it.
std::string holder(int file) {
  char text[32] = {};
  const ssize_t bytes = ::pread(file, text, sizeof text - 1, 0);
  const std::string pid(text, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return pid.empty() ? "another process" : "process " + pid.substr(0, pid.find('\n'));
}

// For whoever comes next; the lock holds without it.
void write_holder(int file) {
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(file, 0) == 0) [[maybe_unused]]
    const ssize_t written = ::pwrite(file, pid.data(), pid.size(), 0);
}

}  // namespace

RunLock::RunLock(const std::string& folder) {
  const std::string path = folder + "/" + kLockFile;
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw Error(ErrorKind::run, path, std::string("cannot be opened: ") + std::strerror(errno));
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) {
    write_holder(file_);
    return;
  }
  const int fault = errno;
  const std::string by = holder(file_);
  ::close(file_);
  if (fault != EWOULDBLOCK)
    throw Error(ErrorKind::run, path, std::string("cannot be locked: ") + std::strerror(fault),
                "runs_dir must be on a file system that knows locks");
  throw Error(ErrorKind::usage, folder,
              fmt::format("the run is in use: expected no other process in it, got {}", by),
              "wait for it to end, or start a run of its own without --resume");
}

RunLock::~RunLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace kinema::tracking
