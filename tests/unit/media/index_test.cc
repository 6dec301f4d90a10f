#include "framework/media/index.h"

#include <gtest/gtest.h>

#include <thread>

namespace kinema::media {
namespace {

IndexPtr index_with(std::size_t packets) {
  auto index = std::make_shared<Index>();
  index->packets.resize(packets);
  return index;
}

TEST(index_cache, forgets_a_file_of_another_size_or_time) {
  IndexCache cache;
  cache.put("a", 10, 20, index_with(1));
  EXPECT_NE(cache.find("a", 10, 20), nullptr);
  EXPECT_EQ(cache.find("a", 11, 20), nullptr);
  EXPECT_EQ(cache.size(), 0u);
  cache.put("a", 10, 20, index_with(1));
  EXPECT_EQ(cache.find("a", 10, 21), nullptr);
}

TEST(index_cache, keeps_its_budget_by_dropping_the_least_recently_used) {
  IndexCache cache(3 * index_with(1000)->bytes() + 100);
  for (const char* path : {"a", "b", "c"}) cache.put(path, 1, 1, index_with(1000));
  EXPECT_NE(cache.find("a", 1, 1), nullptr);
  cache.put("d", 1, 1, index_with(1000));
  EXPECT_EQ(cache.find("b", 1, 1), nullptr);
  EXPECT_NE(cache.find("a", 1, 1), nullptr);
  EXPECT_EQ(cache.size(), 3u);
}

TEST(index_cache, serves_many_threads) {
  IndexCache cache(10 * index_with(10)->bytes());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, t] {
      for (int i = 0; i < 500; ++i) {
        const std::string path = std::to_string((i * 7 + t) % 20);
        if (cache.find(path, 1, 1) == nullptr) cache.put(path, 1, 1, index_with(10));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(cache.size(), 10u);
}

}  // namespace
}  // namespace kinema::media
