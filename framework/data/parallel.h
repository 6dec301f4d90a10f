#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace kinema::data {

// work(i) once for every i of 0 .. count - 1, begun in this order, on so many threads (0: one a core), none
// of which is the caller's. Meanwhile the caller's thread calls progress(finished) now and then, and once at
// the end. After a call has thrown, no other is begun; the exception of the lowest i is thrown.
void for_each_parallel(std::size_t count, std::int64_t threads, const std::function<void(std::size_t)>& work,
                       const std::function<void(std::size_t)>& progress = {});

}  // namespace kinema::data
