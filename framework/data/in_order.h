#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>

namespace kinema::data {

// Ends of pieces of work that threads do side by side, one after another in the order of their numbers 0, 1,
// ... Every number must come to finish() once, whatever became of it, or stop() be called.
class InOrder {
 public:
  // No piece begins more than `ahead` numbers before the end that is due.
  explicit InOrder(std::size_t ahead) : ahead_(ahead) {}
  // Waits until piece `number` may begin; false after stop().
  bool begin(std::size_t number);
  // Calls `end` when those of all lower numbers have been called, on whichever thread that happens. What it
  // throws stops everything and comes out here.
  void finish(std::size_t number, std::function<void()> end);
  void stop();

 private:
  std::size_t ahead_, due_ = 0;
  bool stopped_ = false;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::map<std::size_t, std::function<void()>> waiting_;
};

}  // namespace kinema::data
