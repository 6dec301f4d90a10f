#pragma once

namespace kinema::train {

// While one lives, SIGTERM, SIGUSR1 and the first SIGINT only set a flag that every loop looks at; a second
// SIGINT ends the process at once, see end_by(). The former handlers come back in the destructor. One at a
// time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The signal's number, or 0 while none came. Any thread.
  static int received() noexcept;
  // Forgets a signal (tests).
  static void clear() noexcept;
};

// Ends the process as a signal does that nobody handles: shells and scripts see that it was interrupted, and
// stop as well. Where the signal cannot end it (the first process of a container), exit code 128 + signal.
// Async-signal-safe: nothing is flushed.
[[noreturn]] void end_by(int signal) noexcept;

// "SIGTERM"
const char* signal_name(int signal) noexcept;

}  // namespace kinema::train
