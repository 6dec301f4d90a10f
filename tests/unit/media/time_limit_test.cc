#include "framework/media/time_limit.h"

#include <gtest/gtest.h>

namespace kinema::media {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TimeLimit, IsOverWhenItsTimeIsUsed) {
  const TimeLimit::Clock::time_point start{hours(1)};
  TimeLimit limit;
  limit.start(3, start);
  EXPECT_FALSE(limit.over(start));
  EXPECT_FALSE(limit.over(start + milliseconds(2999)));
  EXPECT_TRUE(limit.over(start + seconds(3)));
  EXPECT_TRUE(limit.over(start + seconds(3)));
}

TEST(TimeLimit, AStoppedProcessUsesAtMostOneStep) {
  const TimeLimit::Clock::time_point start{hours(1)};
  TimeLimit limit;
  limit.start(60, start);
  EXPECT_FALSE(limit.over(start + seconds(1)));
  const auto resumed = start + hours(9);
  EXPECT_FALSE(limit.over(resumed)) << "nine hours of SIGSTOP are not a slow file";
  for (int second = 1; second < 54; ++second) EXPECT_FALSE(limit.over(resumed + seconds(second)));
  EXPECT_TRUE(limit.over(resumed + seconds(54))) << "1 + 5 + 54 seconds";
}

TEST(TimeLimit, StartsAnew) {
  const TimeLimit::Clock::time_point start{hours(1)};
  TimeLimit limit;
  limit.start(0, start);
  EXPECT_TRUE(limit.over(start));
  limit.start(1, start);
  EXPECT_FALSE(limit.over(start));
}

TEST(TimeLimit, IsNoneBeforeItStarts) {
  TimeLimit limit;
  EXPECT_FALSE(limit.over(TimeLimit::Clock::now() + hours(1000)));
}

}  // namespace
}  // namespace kinema::media
