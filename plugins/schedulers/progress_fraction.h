#pragma once

#include <algorithm>

#include "kinema/scheduler.h"

// The share of the way from `begin_epoch` to the end of the run that lies behind, 0..1 for every progress.
inline double progress_fraction(const kinema::Progress& progress, double begin_epoch = 0) {
  const double begin = begin_epoch * static_cast<double>(progress.steps_per_epoch);
  const double length = static_cast<double>(progress.total_steps) - begin;
  const double done = static_cast<double>(progress.step) - begin;
  if (!(length > 0)) return done > 0 ? 1 : 0;
  return std::clamp(done / length, 0.0, 1.0);
}
