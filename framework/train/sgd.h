#pragma once

#include <vector>

#include "framework/train/parameter_slots.h"
#include "kinema/optimizer.h"
#include "kinema/options.h"

namespace kinema::train {

struct SgdOptions {
  double momentum = 0.9;
  double dampening = 0;
  bool nesterov = false;
};
Options<SgdOptions> sgd_options();

// Stochastic gradient descent with torch.optim.SGD's semantics. The scheduler's factor multiplies `momentum`.
// State: "<parameter>.step", and with momentum "<parameter>.momentum".
class Sgd final : public Optimizer {
 public:
  explicit Sgd(const SgdOptions& options) : options_(options) {}
  void attach(std::vector<ParamGroup> groups) override;
  void step(double lr, double momentum_factor) override;
  // The tensors are the optimizer's own, not copies.
  std::vector<NamedTensor> state() const override;
  void load_state(const std::vector<NamedTensor>& state) override;

 private:
  SgdOptions options_;
  std::vector<SlotGroup> groups_;
};

}  // namespace kinema::train
