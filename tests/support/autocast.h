#pragma once

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinema/model.h"

namespace kinema::test {

// bfloat16 autocast of this thread, as the trainer sets it.
class Bfloat16Scope {
 public:
  Bfloat16Scope() {
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::set_autocast_enabled(at::kCPU, true);
  }
  ~Bfloat16Scope() {
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
  }
  Bfloat16Scope(const Bfloat16Scope&) = delete;
  Bfloat16Scope& operator=(const Bfloat16Scope&) = delete;
};

// Logits near those of float32, and a finite gradient for every parameter.
inline void expect_runs_in_bfloat16(Model& model, const ClipBatch& batch) {
  model.train(false);
  const at::Tensor exact = model.forward(batch).logits.detach();
  at::Tensor logits;
  {
    const Bfloat16Scope scope;
    logits = model.forward(batch).logits.to(at::kFloat);
  }
  EXPECT_LT((logits - exact).norm().item<double>(), 0.1 * exact.norm().item<double>());
  logits.square().sum().backward();
  for (const NamedTensor& named : model.parameters()) {
    ASSERT_TRUE(named.tensor.grad().defined()) << named.name;
    EXPECT_TRUE(std::isfinite(named.tensor.grad().sum().item<double>())) << named.name;
  }
}

}  // namespace kinema::test
