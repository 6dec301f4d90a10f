#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kinema/export.h"

namespace kinema {

// How far training is, before an optimizer step.
struct Progress {
  std::int64_t step = 0;         // optimizer steps done
  std::int64_t total_steps = 1;  // of the whole run
  double epoch = 0;              // fractional: step / steps_per_epoch
  double total_epochs = 1;
  std::int64_t steps_per_epoch = 1;
  // The monitored metric, one an evaluation ("train/loss": one an epoch); the host saves it.
  std::span<const double> history;
  bool higher_is_better = true;  // of that metric
};

struct Factors {
  double lr = 1;        // multiplies the base learning rate
  double momentum = 1;  // multiplies the optimizer's momentum (SGD) or first beta (Adam family)
};

// The learning rate policy, a pure function of progress. Warm-up is the host's: `warmup_epochs`,
// `warmup_start`.
class KINEMA_API Scheduler {
 public:
  static constexpr std::string_view kKind = "scheduler";
  virtual ~Scheduler();
  // Finite and not negative for every progress. [every rank]
  virtual Factors factors(const Progress& progress) const = 0;
};

}  // namespace kinema
