#include "framework/data/parallel.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace kinema::data {
namespace {

struct Crew {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t next = 0, finished = 0, running = 0;
  bool stopped = false;
  std::size_t failed_at = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure;

  void work_through(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::unique_lock lock(mutex);
    while (!stopped && next < count) {
      const std::size_t i = next++;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        work(i);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      ++finished;
      if (thrown && i < failed_at) {
        failed_at = i;
        failure = thrown;
        stopped = true;
      }
      changed.notify_one();
    }
    --running;
    changed.notify_one();
  }
};

}  // namespace

void for_each_parallel(std::size_t count, std::int64_t threads, const std::function<void(std::size_t)>& work,
                       const std::function<void(std::size_t)>& progress) {
  constexpr std::chrono::milliseconds kPatience{200};  // the caller may show that time goes by
  if (threads <= 0) threads = std::max(1u, std::thread::hardware_concurrency());
  Crew crew;
  crew.running = std::min(static_cast<std::size_t>(threads), count);
  std::vector<std::jthread> hands;
  for (std::size_t t = crew.running; t > 0; --t) hands.emplace_back([&] { crew.work_through(count, work); });
  const auto stop = [&] {
    const std::lock_guard lock(crew.mutex);
    crew.stopped = true;
  };
  for (bool over = false; !over;) {
    std::unique_lock lock(crew.mutex);
    if (crew.running > 0) crew.changed.wait_for(lock, kPatience);
    over = crew.running == 0;
    const std::size_t finished = crew.finished;
    lock.unlock();
    try {
      if (progress) progress(finished);
    } catch (...) {
      stop();
      throw;
    }
  }
  if (crew.failure) std::rethrow_exception(crew.failure);
}

}  // namespace kinema::data
