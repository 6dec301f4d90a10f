#include "framework/infer/memory.h"

#include <ATen/ops/cat.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <atomic>
#include <memory>

namespace kinema::infer {
namespace {

// Bytes that are allocated and not yet freed; threads of the passes report here too.
class Allocations final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device) override {
    const std::int64_t now = live_ += bytes;
    std::int64_t seen = peak_;
    while (now > seen && !peak_.compare_exchange_weak(seen, now)) {
    }
  }
  bool memoryProfilingEnabled() const override { return true; }
  std::int64_t live() const { return live_; }
  std::int64_t peak() const { return peak_; }

 private:
  std::atomic<std::int64_t> live_{0}, peak_{0};
};

struct Passes {
  std::int64_t saved = 0, peak = 0;
};

ClipBatch copies(const ClipBatch& sample, std::int64_t count) {
  ClipBatch batch;
  for (const auto& [modality, clip] : sample.clips)
    batch.clips[modality] = at::cat(std::vector<at::Tensor>(static_cast<std::size_t>(count), clip));
  std::vector<at::Tensor> boxes;
  for (std::int64_t i = 0; sample.boxes.defined() && i < count; ++i) {
    boxes.push_back(sample.boxes.clone());
    boxes.back().select(1, 0).fill_(i);
  }
  if (!boxes.empty()) batch.boxes = at::cat(boxes);
  return batch;
}

// The gradients stay: an optimizer may step with them.
Passes run_passes(Model& model, const ClipBatch& batch) {
  for (NamedTensor& parameter : model.parameters()) parameter.tensor.mutable_grad().reset();
  const auto allocations = std::make_shared<Allocations>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, allocations);
  Passes passes;
  const at::Tensor loss = model.forward(batch).logits.sum();
  passes.saved = allocations->live();
  loss.backward();
  passes.peak = allocations->peak();
  return passes;
}

std::int64_t bytes_of(const std::vector<NamedTensor>& tensors) {
  std::int64_t bytes = 0;
  for (const NamedTensor& named : tensors) bytes += static_cast<std::int64_t>(named.tensor.nbytes());
  return bytes;
}

std::vector<NamedTensor> learning(const Model& model) {
  std::vector<NamedTensor> parameters = model.parameters();
  std::erase_if(parameters, [](const NamedTensor& named) { return !named.tensor.requires_grad(); });
  return parameters;
}

}  // namespace

TrainingMemory training_memory(Model& model, Optimizer& optimizer, const ClipBatch& sample) {
  const bool was_training = model.training();
  model.train();
  TrainingMemory memory;
  memory.parameters = bytes_of(model.parameters());
  memory.buffers = bytes_of(model.buffers());
  memory.gradients = bytes_of(learning(model));
  const ClipBatch two = copies(sample, 2);
  run_passes(model, two);  // the first time some layers allocate for good
  const Passes of_two = run_passes(model, two), of_one = run_passes(model, sample);
  memory.saved = of_two.saved - of_one.saved;
  memory.peak = std::max(of_two.peak - of_one.peak, memory.saved);
  memory.passes = std::max<std::int64_t>(0, of_one.peak - memory.peak - memory.gradients);
  optimizer.attach({{learning(model), 1, 0}});
  optimizer.step(0, 1);
  memory.optimizer = bytes_of(optimizer.state());
  for (NamedTensor& parameter : model.parameters()) parameter.tensor.mutable_grad().reset();
  model.train(was_training);
  return memory;
}

std::int64_t largest_batch(const TrainingMemory& memory, double bytes) {
  const double left = bytes - static_cast<double>(memory.fixed());
  if (left <= 0 || memory.peak <= 0) return 0;
  return static_cast<std::int64_t>(left / static_cast<double>(memory.peak));
}

}  // namespace kinema::infer
