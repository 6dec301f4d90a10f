#pragma once

#include <vector>

#include "framework/train/parameter_slots.h"
#include "kinema/optimizer.h"
#include "kinema/options.h"

namespace kinema::train {

struct AdamWOptions {
  std::vector<double> betas = {0.9, 0.999};
  double eps = 1e-8;
  bool amsgrad = false;
};
Options<AdamWOptions> adamw_options();

// Adam with decoupled weight decay and torch.optim.AdamW's semantics. The scheduler's factor multiplies the
// first beta. State: "<parameter>.step", ".exp_avg", ".exp_avg_sq", and with amsgrad ".max_exp_avg_sq".
class AdamW final : public Optimizer {
 public:
  explicit AdamW(const AdamWOptions& options) : options_(options) {}
  void attach(std::vector<ParamGroup> groups) override;
  // Throws Error(run) when the factor lifts the first beta to 1 or above.
  void step(double lr, double momentum_factor) override;
  // The tensors are the optimizer's own, not copies.
  std::vector<NamedTensor> state() const override;
  void load_state(const std::vector<NamedTensor>& state) override;

 private:
  AdamWOptions options_;
  std::vector<SlotGroup> groups_;
};

}  // namespace kinema::train
