#include "framework/data/in_order.h"

#include <utility>

namespace kinema::data {

bool InOrder::begin(std::size_t number) {
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [&] { return stopped_ || number < due_ + ahead_ || number == due_; });
  return !stopped_;
}

void InOrder::finish(std::size_t number, std::function<void()> end) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  waiting_[number] = std::move(end);
  try {
    for (auto next = waiting_.find(due_); next != waiting_.end(); next = waiting_.find(due_)) {
      next->second();
      waiting_.erase(next);
      ++due_;
    }
  } catch (...) {
    stopped_ = true;
    moved_.notify_all();
    throw;
  }
  moved_.notify_all();
}

void InOrder::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  moved_.notify_all();
}

}  // namespace kinema::data
