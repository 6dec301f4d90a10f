#pragma once

#include "tests/support/tiny_run.h"

// A tiny run of the trainer, from the start or from a snapshot, with what it left behind.
namespace kinema::tests {

inline train::FitOptions tiny_options() {
  train::FitOptions options;
  options.trainer.epochs = 3;
  options.trainer.accumulate = 2;
  options.optimizer.lr = 0.2;
  options.checkpoint.every_steps = 1;
  options.batch = 4;
  return options;
}

struct TinyFit {
  MemoryKeeper keeper;
  RecordedLog log;
  train::Parts parts = tiny_parts();
  train::FitOptions options = tiny_options();
  train::Outcome outcome;

  void go(const train::Snapshot* from = nullptr) {
    parts.metrics = {std::make_shared<eval::Accuracy>(eval::AccuracyOptions{{1}})};
    if (!parts.optimizer) parts.optimizer = std::make_shared<train::Sgd>(train::SgdOptions{.momentum = 0.9});
    parts.optimizer->attach(train::make_param_groups(*parts.model, parts.loss.get(), options.optimizer));
    train::Trainer trainer(parts, options, keeper, log);
    if (from) {
      parts.model->load_state(from->model);
      parts.loss->load_state(from->loss);
      trainer.restore(from->state, from->callbacks, from->optimizer);
    }
    outcome = trainer.fit();
  }
  const train::Snapshot& last() const { return keeper.kept.at(keeper.order.back()); }
};

}  // namespace kinema::tests
