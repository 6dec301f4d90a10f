#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace kinema::tracking {

// train.log: plain lines "2026-01-31T12:00:00.123Z info  text", each on disk's side of the process at once.
// Never writes anywhere else. Any thread. A failing disk must not stop training: lost lines are counted.
class Log {
 public:
  Log();                                  // discards everything: other ranks, tests
  explicit Log(const std::string& path);  // appends; throws Error(run) when it cannot be opened
  ~Log();
  Log(Log&&) noexcept;
  Log& operator=(Log&&) noexcept;

  // Several lines of text become several lines of the log; control characters are escaped.
  void info(std::string_view text);
  void warn(std::string_view text);
  void error(std::string_view text);

  long lost_lines() const;

 private:
  struct Logger;
  std::unique_ptr<Logger> logger_;
};

}  // namespace kinema::tracking
