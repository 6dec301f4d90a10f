#include "framework/data/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace kinema::data {
namespace {

TEST(parallel, does_everything_once_and_tells_the_end) {
  for (const std::int64_t threads : {0, 1, 3, 64}) {
    std::vector<std::atomic<int>> done(20);
    std::size_t seen = 99;
    for_each_parallel(
        done.size(), threads, [&](std::size_t i) { ++done[i]; }, [&](std::size_t n) { seen = n; });
    for (const auto& count : done) EXPECT_EQ(count, 1);
    EXPECT_EQ(seen, done.size());
  }
  for_each_parallel(0, 2, [](std::size_t) { FAIL(); });
}

TEST(parallel, an_exception_ends_it_and_comes_out) {
  std::atomic<int> begun = 0;
  try {
    for_each_parallel(1000, 4, [&](std::size_t i) {
      ++begun;
      if (i == 5) throw std::runtime_error("five");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    FAIL() << "nothing came out";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "five");
  }
  EXPECT_LT(begun, 1000);
}

TEST(parallel, an_exception_of_the_progress_waits_for_the_threads) {
  std::atomic<int> running = 0;
  EXPECT_THROW(for_each_parallel(
                   100, 4,
                   [&](std::size_t) {
                     ++running;
                     --running;
                   },
                   [](std::size_t) { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(running, 0);
}

TEST(parallel, nothing_to_do_is_done_at_once) {
  std::vector<std::size_t> told;
  for_each_parallel(
      0, 4, [](std::size_t) { FAIL(); }, [&](std::size_t finished) { told.push_back(finished); });
  EXPECT_EQ(told, (std::vector<std::size_t>{0}));
}

}  // namespace
}  // namespace kinema::data
