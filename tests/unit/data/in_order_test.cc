#include "framework/data/in_order.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "framework/data/parallel.h"

namespace kinema::data {
namespace {

TEST(in_order, ends_come_one_after_another_whatever_thread_is_first) {
  InOrder order(4);
  std::vector<std::size_t> ends;
  std::atomic<int> begun = 0, most = 0;
  for_each_parallel(200, 4, [&](std::size_t i) {
    ASSERT_TRUE(order.begin(i));
    most = std::max(most.load(), ++begun);
    order.finish(i, [&, i] {
      ends.push_back(i);
      --begun;
    });
  });
  ASSERT_EQ(ends.size(), 200u);
  for (std::size_t i = 0; i < ends.size(); ++i) EXPECT_EQ(ends[i], i);
  EXPECT_LE(most, 5);
}

TEST(in_order, an_end_that_throws_stops_those_that_wait) {
  InOrder order(2);
  int ends = 0;
  EXPECT_THROW(for_each_parallel(50, 3,
                                 [&](std::size_t i) {
                                   if (!order.begin(i)) return;
                                   order.finish(i, [&, i] {
                                     if (i == 5) throw std::runtime_error("full");
                                     ++ends;
                                   });
                                 }),
               std::runtime_error);
  EXPECT_EQ(ends, 5);
  EXPECT_FALSE(order.begin(6));
}

}  // namespace
}  // namespace kinema::data
