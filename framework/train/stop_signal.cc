#include "framework/train/stop_signal.h"

#include <unistd.h>
#include <csignal>

#include <array>
#include <atomic>
#include <cstddef>

namespace kinema::train {
namespace {

constexpr std::array kSignals = {SIGTERM, SIGUSR1, SIGINT};
constexpr int kInterruptedExit = 130;
std::atomic<int> received_signal{0};
std::array<struct sigaction, kSignals.size()> former{};

extern "C" void note_signal(int signal) {
  const int before = received_signal.exchange(signal);
  if (signal == SIGINT && before == SIGINT) _exit(kInterruptedExit);
}

}  // namespace

StopSignals::StopSignals() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &former[i]);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &former[i], nullptr);
}

int StopSignals::received() noexcept { return received_signal.load(); }
void StopSignals::clear() noexcept { received_signal.store(0); }

const char* signal_name(int signal) noexcept {
  switch (signal) {
    case SIGTERM:
      return "SIGTERM";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGINT:
      return "SIGINT";
    default:
      return "signal";
  }
}

}  // namespace kinema::train
