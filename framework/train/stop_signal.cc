#include "framework/train/stop_signal.h"

#include <unistd.h>
#include <csignal>

#include <array>
#include <atomic>
#include <cstddef>

namespace kinema::train {
namespace {

constexpr std::array kSignals = {SIGTERM, SIGUSR1, SIGINT};
constexpr int kSignalExit = 128;  // + signal: what shells make of it
std::atomic<int> received_signal{0};
std::atomic<bool> interrupted{false};
std::array<struct sigaction, kSignals.size()> former{};

extern "C" void note_signal(int signal) {
  received_signal.store(signal);
  if (signal == SIGINT && interrupted.exchange(true)) end_by(signal);
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
void StopSignals::clear() noexcept {
  received_signal.store(0);
  interrupted.store(false);
}

void end_by(int signal) noexcept {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, signal);
  pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  raise(signal);
  _exit(kSignalExit + signal);
}

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
