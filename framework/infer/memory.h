#pragma once

#include <cstdint>

#include "kinema/model.h"
#include "kinema/optimizer.h"

namespace kinema::infer {

// What a training step keeps in memory, in bytes, by the tensors that it allocates. Scratch memory inside
// oneDNN's kernels is not seen.
struct TrainingMemory {
  // Whatever the batch.
  std::int64_t parameters = 0, buffers = 0, gradients = 0, optimizer = 0;
  std::int64_t passes = 0;  // held by the passes beside what grows with the batch
  // For each sample.
  std::int64_t saved = 0;  // what the forward pass keeps for the backward pass
  std::int64_t peak = 0;   // at the highest point: saved, and what is held for a moment

  std::int64_t fixed() const { return parameters + buffers + gradients + optimizer + passes; }
};

// Runs the forward and backward pass with one and with two copies of `sample` (a batch of one), and one step
// of the optimizer, which must be fresh, with learning rate 0. Parameters stay; running statistics do not.
TrainingMemory training_memory(Model& model, Optimizer& optimizer, const ClipBatch& sample);

// Samples that fit into `bytes`; 0 when not even one does.
std::int64_t largest_batch(const TrainingMemory& memory, double bytes);

}  // namespace kinema::infer
