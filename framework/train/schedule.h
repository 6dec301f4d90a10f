#pragma once

#include <cstdint>

#include "framework/config/experiment.h"
#include "kinema/scheduler.h"

namespace kinema::train {

// What a file without a scheduler means.
struct ConstantRate final : Scheduler {
  Factors factors(const Progress&) const override { return {}; }
};

// The scheduler's factors with the host's warm-up: over the first `warmup_epochs` the learning rate rises
// linearly from `warmup_start` to what the scheduler says at the end of the warm-up (PySlowFast's rule).
Factors factors_at(const Scheduler& scheduler, const config::SchedulerSection& section,
                   const Progress& progress);

// Linear scaling (Goyal et al. 2017): lr x clips per optimizer step / base_batch; lr itself without
// base_batch.
double scaled_lr(const config::OptimizerSection& section, std::int64_t clips_per_step);

}  // namespace kinema::train
