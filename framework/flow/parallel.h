#pragma once

#include <cstddef>
#include <functional>

namespace kinema::flow {

// Calls `work` for 0 .. count - 1, in any order, on so many threads; with one of them on the caller's. After
// an exception nothing new is begun, and the first one comes out when all have stopped.
void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace kinema::flow
