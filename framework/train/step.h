#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "framework/config/experiment.h"
#include "framework/eval/device_batch.h"
#include "kinema/loss.h"
#include "kinema/model.h"
#include "kinema/optimizer.h"

namespace kinema::train {

struct StepOptions {
  at::Device device = at::kCPU;
  config::Precision precision = config::Precision::fp32;
  std::optional<double> clip_grad_norm;  // L2 over all parameters
};

struct StepResult {
  double loss = 0;       // mean over the group's clips
  double grad_norm = 0;  // L2 before clipping
  bool finite = true;    // false: loss or gradient was not; parameters and buffers are as before the group
};

// One optimizer step out of one or more micro-batches. Gradients live between add() and finish() only.
class Step {
 public:
  Step(Model& model, Loss& loss, Optimizer& optimizer, const StepOptions& options);

  // Forward and backward of a micro-batch; `share` is its part of the group's clips (the shares of a group
  // add up to 1), `seed` what dropout draws from.
  void add(const eval::DeviceBatch& batch, double share, std::uint64_t seed);
  // Clips, updates the parameters with learning rate `lr`, and drops the gradients.
  StepResult finish(double lr, double momentum_factor);

 private:
  std::vector<at::Tensor> gradients() const;
  void drop_gradients();
  void remember_buffers();
  void restore_buffers();

  Model& model_;
  Loss& loss_;
  Optimizer& optimizer_;
  StepOptions options_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> buffers_, buffers_before_;  // running statistics, and those before the group
  bool in_group_ = false;
  double loss_sum_ = 0;
};

}  // namespace kinema::train
