#include "framework/data/worker_count.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kinema::data {
namespace {

// A user that needs `step_s` for a batch, workers that need `work_s` of CPU for it on as many cores.
std::int64_t settled(WorkerCount count, double work_s, double step_s, int batches = 400) {
  for (int i = 0; i < batches; ++i) {
    const double made_s = work_s / static_cast<double>(count.count());
    count.took(work_s, std::max(0.0, made_s - step_s), step_s);
  }
  return count.count();
}

TEST(worker_count, settles_at_what_the_work_needs_from_above_and_from_below) {
  EXPECT_EQ(settled({15, 16}, 0.1, 1), 1);
  EXPECT_EQ(settled({1, 16}, 0.1, 1), 1);
  EXPECT_EQ(settled({15, 16}, 3, 1), 4);
  EXPECT_EQ(settled({1, 16}, 3, 1), 3);
}

TEST(worker_count, stays_within_one_and_the_cores) {
  EXPECT_EQ(settled({1, 2}, 50, 1), 2);
  EXPECT_EQ(settled({2, 2}, 0, 1), 1);
}

TEST(worker_count, decides_after_a_window_and_not_before) {
  EXPECT_EQ(settled({4, 8}, 0.1, 1, WorkerCount::kWindow - 1), 4);
  EXPECT_EQ(settled({4, 8}, 0.1, 1, WorkerCount::kWindow), 3);
}

}  // namespace
}  // namespace kinema::data
