#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "framework/config/experiment.h"
#include "framework/data/batch.h"
#include "kinema/loss.h"
#include "kinema/model.h"
#include "kinema/optimizer.h"

namespace kinema::train {

struct StepOptions {
  at::Device device = at::kCPU;
  config::Precision precision = config::Precision::fp32;
  std::optional<double> clip_grad_norm;  // L2 over all parameters
  config::MixOptions mix;
};

struct StepResult {
  double loss = 0;       // mean over the group's clips, each with its weight
  double weight = 0;     // of that mean: the number of clips unless the loss said another one
  double grad_norm = 0;  // L2 before clipping
  bool finite = true;    // false: loss or gradient was not; parameters and buffers are as before the group
};

// One optimizer step out of one or more micro-batches. Gradients live between add() and finish() only.
class Step {
 public:
  Step(Model& model, Loss& loss, Optimizer& optimizer, const StepOptions& options);

  // Forward and backward of a micro-batch, weighed so that finish() has the gradient of one batch of all the
  // `group_clips` clips (LossValue::weight); `seed` is what dropout and the mixing of clips draw from.
  void add(const data::Batch& batch, std::int64_t group_clips, std::uint64_t seed);
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
  std::vector<at::Tensor> parameters_;                // of model and loss
  std::vector<at::Tensor> buffers_, buffers_before_;  // running statistics, and those before the group
  bool in_group_ = false;
  double loss_sum_ = 0, weight_sum_ = 0;
  std::int64_t group_clips_ = 0;
};

}  // namespace kinema::train
