#include "framework/train/schedule.h"

#include <cmath>

namespace kinema::train {

Factors factors_at(const Scheduler& scheduler, const config::SchedulerSection& section,
                   const Progress& progress) {
  Factors factors = scheduler.factors(progress);
  if (progress.epoch >= section.warmup_epochs) return factors;
  Progress end = progress;
  end.epoch = section.warmup_epochs;
  end.step = std::llround(section.warmup_epochs * static_cast<double>(progress.steps_per_epoch));
  const double goal = scheduler.factors(end).lr;
  factors.lr = section.warmup_start + (goal - section.warmup_start) * progress.epoch / section.warmup_epochs;
  return factors;
}

double scaled_lr(const config::OptimizerSection& section, std::int64_t clips_per_step) {
  if (!section.base_batch) return section.lr;
  return section.lr * static_cast<double>(clips_per_step) / static_cast<double>(*section.base_batch);
}

}  // namespace kinema::train
