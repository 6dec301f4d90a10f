#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../monitor.h"
#include "kinema/plugin.h"

namespace {

struct EarlyStoppingOptions {
  std::string monitor = "val/top1";
  MonitorMode mode = MonitorMode::automatic;
  double min_delta = 0;
  std::int64_t patience = 5;
};

class EarlyStopping final : public kinema::Callback {
 public:
  explicit EarlyStopping(const EarlyStoppingOptions& options)
      : options_(options), higher_(higher_is_better(options.mode, options.monitor)) {}

  void eval_end(const kinema::FitState& state, kinema::FitControl& control) override {
    if (!judged_at_epoch_end(options_.monitor)) judge(state, control);
  }
  void epoch_end(const kinema::FitState& state, kinema::FitControl& control) override {
    if (judged_at_epoch_end(options_.monitor)) judge(state, control);
  }

  std::vector<std::string> monitors() const override { return {options_.monitor}; }

  kinema::Value save() const override {
    kinema::Value table = watching(options_.monitor, higher_);
    table.set("waited", waited_);
    if (best_) {
      table.set("best", *best_);
      table.set("best_epoch", best_epoch_);
    }
    return table;
  }

  void load(const kinema::Value& table) override {
    if (!watches_the_same(table, options_.monitor, higher_)) return;
    if (const kinema::Value* waited = table.find("waited")) waited_ = waited->as_integer();
    if (const kinema::Value* best = table.find("best")) best_ = best->as_real();
    if (const kinema::Value* epoch = table.find("best_epoch")) best_epoch_ = epoch->as_integer();
  }

 private:
  void judge(const kinema::FitState& state, kinema::FitControl& control) {
    const std::optional<double> value = monitored(state, control, "early_stopping", options_.monitor);
    if (!value) return;
    if (improves(*value)) {
      best_ = *value;
      best_epoch_ = state.epoch;
      waited_ = 0;
      return;
    }
    if (++waited_ < options_.patience) return;
    control.request_stop(
        "early_stopping: " + options_.monitor + " did not improve in " + std::to_string(waited_) +
        (judged_at_epoch_end(options_.monitor) ? " epochs" : " evaluations") +
        (best_ ? "; best " + kinema::Value(*best_).text() + " at epoch " + std::to_string(best_epoch_) : ""));
  }

  bool improves(double value) const {
    if (!std::isfinite(value)) return false;
    return !best_ || improvement(higher_, value, *best_) > options_.min_delta;
  }

  EarlyStoppingOptions options_;
  bool higher_;
  std::optional<double> best_;
  std::int64_t best_epoch_ = 0;
  std::int64_t waited_ = 0;  // evaluations (epochs) since the best one
};

kinema::Options<EarlyStoppingOptions> options() {
  using O = EarlyStoppingOptions;
  return kinema::Options<O>()
      .add("monitor", &O::monitor,
           "the metric to watch: train/... after each epoch, any other after each evaluation",
           kinema::not_empty())
      .add_enum("mode", &O::mode, kMonitorModeHelp, monitor_modes())
      .add("min_delta", &O::min_delta, "an improvement is more than this", kinema::at_least(0))
      .add("patience", &O::patience,
           "evaluations (for train/...: epochs) in a row without improvement after which training stops",
           kinema::at_least(1));
}

}  // namespace

KINEMA_PLUGIN("early_stopping", "1.0", "stops training when a metric no longer improves") {
  registrar.add<kinema::Callback>(
      "early_stopping", "stops training when a metric no longer improves", options(),
      [](const EarlyStoppingOptions& o, kinema::Context&) { return std::make_shared<EarlyStopping>(o); });
}
