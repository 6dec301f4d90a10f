#include "framework/data/worker_count.h"

#include <algorithm>
#include <cmath>

namespace kinema::data {
namespace {

constexpr double kWaitsTooLong = 0.03;  // share of the time
constexpr double kReserve = 1.3;        // clips differ, and a batch is ready when its last one is

}  // namespace

void WorkerCount::took(double work_s, double waited_s, double away_s) {
  work_s_ += work_s;
  waited_s_ += waited_s;
  away_s_ += away_s;
  if (++batches_ < kWindow) return;
  const double time = std::max(waited_s_ + away_s_, 1e-9);
  if (waited_s_ / time > kWaitsTooLong) {
    ++count_;
  } else {
    const auto needed = static_cast<std::int64_t>(std::ceil(kReserve * work_s_ / time));
    if (needed < count_) --count_;  // one at a time: the next window may be another
  }
  count_ = std::clamp<std::int64_t>(count_, 1, most_);
  batches_ = 0;
  work_s_ = waited_s_ = away_s_ = 0;
}

}  // namespace kinema::data
