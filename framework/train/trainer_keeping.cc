#include <fmt/format.h>

#include "framework/train/trainer.h"
#include "kinema/error.h"

// What a run keeps and when: its own checkpoints, and those that callbacks ask for.
namespace kinema::train {
namespace {

constexpr int kMostFailedSaves = 3;
constexpr double kSecondsPerMinute = 60;

}  // namespace

bool Trainer::save_due() const {
  const config::CheckpointOptions& checkpoint = options_.checkpoint;
  if (checkpoint.every_steps && state_.step % *checkpoint.every_steps == 0) return true;
  return checkpoint.every_minutes && seconds_since(saved_) >= *checkpoint.every_minutes * kSecondsPerMinute;
}

bool Trainer::save_step() { return save(fmt::format("step-{:08}", state_.step)); }

// False: it failed, and the run goes on.
bool Trainer::save(const std::string& name) {
  state_.stopped = events_.stop_reason().has_value() && !state_.finished;
  const Snapshot snapshot{reached(), events_.save(), parts_.model->state(), parts_.loss->state(),
                          parts_.optimizer->state()};
  saved_ = Clock::now();  // also after a failure: a full disk is not asked again at every step
  std::string path;
  try {
    path = keeper_.save(snapshot, name, best_is_new_);
  } catch (const Error& error) {
    if (++failed_saves_ >= kMostFailedSaves) throw;
    log_.warn(fmt::format("checkpoint {} failed, the one before is kept and training goes on: {}", name,
                          error.what()));
    return false;
  }
  failed_saves_ = 0;
  best_is_new_ = false;
  kept_ = true;
  if (!path.empty()) events_.tell_saved(fit_state(), path);
  return true;
}

void Trainer::serve_requests() {
  while (const auto request = events_.next_request()) {
    if (request->release) {
      release(request->name);
    } else if (!save(request->name)) {
      kept_ = false;
      events_.tell_failed(fit_state(), *request);
    }
  }
}

void Trainer::release(const std::string& name) {
  try {
    keeper_.release(name);
  } catch (const Error& error) {
    log_.warn(fmt::format("checkpoint {} could not be removed: {}", name, error.what()));
  }
}

}  // namespace kinema::train
