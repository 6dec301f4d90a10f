#include "framework/train/run_state.h"

#include <cmath>

#include "kinema/error.h"
#include "kinema/metric.h"

namespace kinema::train {
namespace {

const Value& field(const Value& table, const char* name) {
  const Value* found = table.find(name);
  if (!found)
    throw Error(ErrorKind::data, "checkpoint state",
                std::string("missing field: expected ") + name + ", got none");
  return *found;
}

}  // namespace

Value RunState::to_value() const {
  Value::Array past;
  for (const double value : history) past.emplace_back(value);
  Value latest = Value::table();
  for (const auto& [name, value] : metrics) latest.set(name, Value(value));
  return Value::table({{"step", step},
                       {"epoch", epoch},
                       {"batch", batch},
                       {"evaluations", evaluations},
                       {"skipped_in_a_row", skipped_in_a_row},
                       {"loss_sum", loss_sum},
                       {"loss_weight", loss_weight},
                       {"metrics", std::move(latest)},
                       {"eval_clips", eval_clips},
                       {"eval_unreadable", eval_unreadable},
                       {"monitor", monitor},
                       {"higher_is_better", higher_is_better},
                       {"history", Value(std::move(past))},
                       {"best", best},
                       {"best_epoch", best_epoch},
                       {"wall_s", wall_s},
                       {"finished", finished},
                       {"stopped", stopped}});
}

RunState RunState::from_value(const Value& value) {
  RunState state;
  state.step = field(value, "step").as_integer();
  state.epoch = field(value, "epoch").as_integer();
  state.batch = field(value, "batch").as_integer();
  state.evaluations = field(value, "evaluations").as_integer();
  state.skipped_in_a_row = field(value, "skipped_in_a_row").as_integer();
  state.loss_sum = field(value, "loss_sum").as_real();
  state.loss_weight = field(value, "loss_weight").as_real();
  state.eval_clips = field(value, "eval_clips").as_integer();
  state.eval_unreadable = field(value, "eval_unreadable").as_integer();
  state.monitor = field(value, "monitor").as_string();
  state.higher_is_better = field(value, "higher_is_better").as_bool();
  for (const Value& past : field(value, "history").as_array()) state.history.push_back(past.as_real());
  for (const Value::Entry& entry : field(value, "metrics").as_table())
    state.metrics[entry.key] = entry.value.as_real();
  state.best = field(value, "best").as_real();
  state.best_epoch = field(value, "best_epoch").as_integer();
  state.wall_s = field(value, "wall_s").as_real();
  state.finished = field(value, "finished").as_bool();
  state.stopped = field(value, "stopped").as_bool();
  return state;
}

bool higher_is_better(const config::TrainerOptions& trainer) {
  if (trainer.mode) return *trainer.mode == config::MonitorMode::max;
  return !lower_is_better(trainer.monitor);
}

bool is_training_metric(const std::string& name) { return name.starts_with("train/"); }

bool improves(double value, double best, bool higher) {
  if (std::isnan(value)) return false;
  if (std::isnan(best)) return true;
  return higher ? value > best : value < best;
}

}  // namespace kinema::train
