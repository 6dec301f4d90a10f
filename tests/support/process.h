#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

// Runs a program as a user would, without a shell in between.
namespace kinema::test {

struct Command {
  std::string program;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;  // on top of the test's own; empty text: unset
  std::string folder = ".";                        // working folder
  double timeout_s = 120;                          // then it is killed
  std::optional<std::uint64_t> largest_file;       // RLIMIT_FSIZE with SIGXFSZ ignored: write() says EFBIG
  std::function<void()> before_exec;               // in the child; async-signal-safe calls only
};

struct Finished {
  int code = -1;   // of exit(); -1 when a signal ended it
  int signal = 0;  // that ended it
  bool timed_out = false;
  std::string out, err;
};

// A program that is running. Killed and reaped when it goes out of scope.
class Process {
 public:
  explicit Process(const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const;
  // Reads its output until `condition` holds; false when it ended or the time was up before.
  bool wait_until(const std::function<bool(const Finished& so_far)>& condition, double timeout_s = 60);
  Finished wait();

 private:
  bool pump(int timeout_ms);  // false: both streams are closed

  int pid_ = -1;
  int streams_[2] = {-1, -1};
  double deadline_s_;
  Finished result_;
  bool reaped_ = false;
};

inline Finished run(const Command& command) { return Process(command).wait(); }

}  // namespace kinema::test
