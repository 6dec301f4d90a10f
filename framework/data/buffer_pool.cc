#include "framework/data/buffer_pool.h"

#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

namespace kinema::data {

struct BufferPool::State {
  struct Block {
    std::uint8_t* data;
    std::size_t bytes;
  };
  std::mutex mutex;
  std::vector<Block> free;
  std::size_t allocations = 0;
  ~State() {
    for (const Block& block : free) std::free(block.data);
  }
};

BufferPool::BufferPool() : state_(std::make_shared<State>()) {}

std::size_t BufferPool::allocations() const {
  const std::lock_guard lock(state_->mutex);
  return state_->allocations;
}

Pixels BufferPool::take(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  bytes = (bytes + kAlignment) / kAlignment * kAlignment;
  State::Block block{nullptr, 0};
  {
    const std::lock_guard lock(state_->mutex);
    for (auto it = state_->free.begin(); it != state_->free.end(); ++it) {
      if (it->bytes < bytes) continue;
      block = *it;
      state_->free.erase(it);
      break;
    }
    if (block.data == nullptr) {
      // Those that are left are too small for today's batches.
      for (const State::Block& old : state_->free) std::free(old.data);
      state_->free.clear();
      ++state_->allocations;
    }
  }
  if (block.data == nullptr) {
    block = {static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, bytes)), bytes};
    if (block.data == nullptr) throw std::bad_alloc();
  }
  return Pixels(block.data, [state = state_, block](std::uint8_t*) {
    const std::lock_guard lock(state->mutex);
    state->free.push_back(block);
  });
}

}  // namespace kinema::data
