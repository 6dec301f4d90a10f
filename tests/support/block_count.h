#pragma once

#include "kinema/model.h"
#include "kinema/run_context.h"

namespace kinema::test {

// How many blocks of the run context a forward pass runs: what activation checkpointing would recompute.
inline int blocks_run(Model& model, const ClipBatch& clip) {
  struct Count : RunContext::BlockRunner {
    int runs = 0;
    at::Tensor run(const std::function<at::Tensor(const at::Tensor&)>& body, const at::Tensor& x) override {
      ++runs;
      return body(x);
    }
  } count;
  RunContext context;
  context.block_runner = &count;
  const RunContextScope scope(context);
  model.forward(clip);
  return count.runs;
}

}  // namespace kinema::test
