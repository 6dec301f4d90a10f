#include "framework/media/time_limit.h"

#include <algorithm>

namespace kinema::media {

void TimeLimit::start(double seconds, Clock::time_point now) {
  left_ = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  seen_ = now;
}

bool TimeLimit::over(Clock::time_point now) {
  if (left_ == Clock::duration::max()) return false;
  left_ -= std::clamp<Clock::duration>(now - seen_, Clock::duration::zero(), kLongestStep);
  left_ = std::max(left_, Clock::duration::zero());
  seen_ = now;
  return left_ == Clock::duration::zero();
}

}  // namespace kinema::media
