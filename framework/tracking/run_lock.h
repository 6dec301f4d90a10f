#pragma once

#include <string>
#include <utility>

namespace kinema::tracking {

// Keeps every other process out of a run folder while it lives: two that write checkpoints and metrics into
// one folder destroy each other's. The system takes the lock back when the process ends, however it ends.
class RunLock {
 public:
  RunLock() = default;  // of no folder
  // Throws Error(usage) that names the process that has the folder, Error(run) when no lock can be had.
  explicit RunLock(const std::string& folder);
  ~RunLock();
  RunLock(RunLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  RunLock& operator=(RunLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }

 private:
  int file_ = -1;
};

}  // namespace kinema::tracking
