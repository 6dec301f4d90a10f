#pragma once

#include <ATen/record_function.h>

#include <cstdint>

namespace kinema::infer {

// Counts the multiply-adds of the convolutions and matrix products that this thread runs while it lives,
// whoever calls them: layers or a model's own arithmetic. One multiply-add counts as one, as in fvcore. An
// operator of user scope named "kinema::multiply_adds" with one number stands for so many. One a thread.
class OperatorCount {
 public:
  OperatorCount();
  ~OperatorCount();
  OperatorCount(const OperatorCount&) = delete;
  OperatorCount& operator=(const OperatorCount&) = delete;

  // What came since the last call.
  std::int64_t take();

 private:
  at::CallbackHandle handle_;
};

}  // namespace kinema::infer
