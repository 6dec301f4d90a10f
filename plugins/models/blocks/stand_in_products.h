#pragma once

#include <ATen/record_function.h>

#include <cstdint>

namespace kinema::blocks {

// For a scope whose products are another way to compute what a network is written down with: those who count
// operators see one named "kinema::multiply_adds" with the number that it is written down with, and none of
// the scope's own.
class StandInProducts {
 public:
  explicit StandInProducts(std::int64_t multiply_adds);

 private:
  at::RecordFunctionGuard unobserved_;
};

}  // namespace kinema::blocks
