#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>
#include <vector>

#include "kinema/export.h"
#include "kinema/module.h"

namespace kinema {

// Parameters that share their settings. Tensors share storage with the model, or with the loss where the name
// begins with "loss.".
struct ParamGroup {
  std::vector<NamedTensor> parameters;
  double lr_scale = 1;
  double weight_decay = 0;
};

// Updates parameters from their gradients. The host owns learning rate, schedule, weight decay groups,
// clipping, accumulation and scaling.
class KINEMA_API Optimizer {
 public:
  static constexpr std::string_view kKind = "optimizer";
  virtual ~Optimizer();

  // Called once, before the first step and before load_state().
  virtual void attach(std::vector<ParamGroup> groups) = 0;
  // One update with learning rate lr * group.lr_scale; parameters without a gradient are left alone.
  // `momentum_factor` is the scheduler's. [every rank]
  virtual void step(double lr, double momentum_factor) = 0;
  // Everything a resumed run needs, named "<parameter>.<what>"; load_state() gets what state() gave and
  // throws Error(data) when a tensor is missing or misshapen.
  virtual std::vector<NamedTensor> state() const = 0;
  virtual void load_state(const std::vector<NamedTensor>& state) = 0;
};

}  // namespace kinema
