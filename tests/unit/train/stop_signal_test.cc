#include "framework/train/stop_signal.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace kinema::train {
namespace {

using testing::ExitedWithCode;
using testing::KilledBySignal;

class stop_signal : public testing::Test {
 protected:
  stop_signal() { StopSignals::clear(); }
  ~stop_signal() override { StopSignals::clear(); }
};
using stop_signal_death = stop_signal;

TEST_F(stop_signal, is_noted_and_stops_nothing_by_itself) {
  for (const int signal : {SIGTERM, SIGUSR1, SIGINT}) {
    StopSignals::clear();
    const StopSignals signals;
    EXPECT_EQ(StopSignals::received(), 0);
    std::raise(signal);
    EXPECT_EQ(StopSignals::received(), signal);
  }
}

TEST_F(stop_signal, that_was_noted_is_known_when_the_handlers_are_gone) {
  {
    const StopSignals signals;
    std::raise(SIGINT);
  }
  EXPECT_EQ(StopSignals::received(), SIGINT);
}

TEST_F(stop_signal_death, a_second_ctrl_c_ends_the_process_by_that_signal) {
  const auto twice = [] {
    const StopSignals signals;
    std::raise(SIGINT);
    std::raise(SIGINT);
    std::exit(0);
  };
  EXPECT_EXIT(twice(), KilledBySignal(SIGINT), "");
}

TEST_F(stop_signal_death, other_signals_in_between_make_no_difference) {
  const auto mixed = [] {
    const StopSignals signals;
    std::raise(SIGINT);
    std::raise(SIGTERM);
    std::raise(SIGUSR1);
    std::raise(SIGINT);
    std::exit(0);
  };
  EXPECT_EXIT(mixed(), KilledBySignal(SIGINT), "");
  const auto repeated_term = [] {
    const StopSignals signals;
    std::raise(SIGTERM);
    std::raise(SIGTERM);
    std::raise(SIGINT);
    std::exit(7);
  };
  EXPECT_EXIT(repeated_term(), ExitedWithCode(7), "");
}

TEST_F(stop_signal_death, after_the_run_the_first_one_ends_the_process) {
  const auto later = [] {
    { const StopSignals signals; }
    std::raise(SIGINT);
    std::exit(0);
  };
  EXPECT_EXIT(later(), KilledBySignal(SIGINT), "");
}

TEST_F(stop_signal_death, end_by_ends_the_process_also_where_the_signal_is_blocked_or_ignored) {
  const auto ignored = [] {
    std::signal(SIGINT, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    end_by(SIGINT);
  };
  EXPECT_EXIT(ignored(), KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace kinema::train
