#pragma once

#include <chrono>

namespace kinema::media {

// The time that a file may take. A process that is stopped (SIGSTOP, a suspended machine) does not use it up:
// between two looks at the clock at most kLongestStep counts, so that a good file is not taken for a slow
// one.
class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLongestStep{5};

  void start(double seconds, Clock::time_point now = Clock::now());
  // True once the time is used up, until the next start(). Before the first start() there is no limit.
  bool over(Clock::time_point now = Clock::now());

 private:
  Clock::duration left_ = Clock::duration::max();
  Clock::time_point seen_ = Clock::now();
};

}  // namespace kinema::media
