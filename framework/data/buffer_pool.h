#pragma once

#include <cstddef>
#include <memory>

#include "framework/data/batch.h"

namespace kinema::data {

// Recycles batch buffers, so that a run allocates a handful of them and no more. Thread safe; buffers may
// outlive the pool.
class BufferPool {
 public:
  BufferPool();
  // At least `bytes`, 64-byte aligned, contents undefined.
  Pixels take(std::size_t bytes);
  std::size_t allocations() const;  // since the start

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kinema::data
