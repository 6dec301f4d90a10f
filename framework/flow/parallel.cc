#include "framework/flow/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kinema::flow {

void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    for (std::size_t i; (i = next++) < count;) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::jthread> others;
  const std::size_t wanted = std::min(count, static_cast<std::size_t>(std::max(1, threads)));
  for (std::size_t i = 1; i < wanted; ++i) others.emplace_back(run);
  run();
  others.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kinema::flow
