#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "../monitor.h"
#include "kinema/plugin.h"

namespace {

struct TopKOptions {
  std::string monitor = "val/top1";
  MonitorMode mode = MonitorMode::automatic;
  std::int64_t k = 3;
};

struct Kept {
  std::string name;
  double value;
};

kinema::Value listed(const std::vector<Kept>& list) {
  kinema::Value::Array array;
  for (const Kept& k : list) array.push_back(kinema::Value::table({{"name", k.name}, {"value", k.value}}));
  return array;
}

std::vector<Kept> read(const kinema::Value* array) {
  std::vector<Kept> list;
  if (!array) return list;
  for (const kinema::Value& entry : array->as_array()) {
    const kinema::Value* name = entry.find("name");
    const kinema::Value* value = entry.find("value");
    if (!name || !value)
      throw kinema::Error(kinema::ErrorKind::data, "callback top_k_checkpoint",
                          "bad saved state: expected a name and a value, got " + entry.text());
    list.push_back({name->as_string(), value->as_real()});
  }
  return list;
}

std::string folder_safe(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  return text;
}

class TopKCheckpoint final : public kinema::Callback, public kinema::HandlesFailedCheckpoint {
 public:
  explicit TopKCheckpoint(const TopKOptions& options)
      : options_(options), higher_(higher_is_better(options.mode, options.monitor)) {}

  void fit_begin(const kinema::FitState&, kinema::FitControl& control) override { release_surplus(control); }

  void eval_end(const kinema::FitState& state, kinema::FitControl& control) override {
    if (!judged_at_epoch_end(options_.monitor)) judge(state, control);
  }
  void epoch_end(const kinema::FitState& state, kinema::FitControl& control) override {
    if (judged_at_epoch_end(options_.monitor)) judge(state, control);
  }

  // What does not exist is not kept: the one that it was to replace is back. The host has forgotten its
  // release.
  void checkpoint_failed(const kinema::FitState&, kinema::FitControl&, const std::string& name) override {
    if (std::erase_if(kept_, [&](const Kept& kept) { return kept.name == name; }) == 0) return;
    kept_.insert(kept_.end(), replaced_.begin(), replaced_.end());
    replaced_.clear();
  }

  std::vector<std::string> monitors() const override { return {options_.monitor}; }

  kinema::Value save() const override {
    kinema::Value table = watching(options_.monitor, higher_);
    table.set("kept", listed(kept_));
    table.set("replaced", listed(replaced_));
    return table;
  }

  void load(const kinema::Value& table) override {
    // Checkpoints kept for another metric stay on disk.
    if (!watches_the_same(table, options_.monitor, higher_)) return;
    kept_ = read(table.find("kept"));
    replaced_ = read(table.find("replaced"));
  }

 private:
  void judge(const kinema::FitState& state, kinema::FitControl& control) {
    const std::optional<double> value = monitored(state, control, "top_k_checkpoint", options_.monitor);
    if (!value || !std::isfinite(*value)) return;
    // Behind its equals: an older checkpoint is never given up for one that is just as good.
    const auto place = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) {
      return improvement(higher_, *value, kept.value) > 0;
    });
    if (place - kept_.begin() >= options_.k) return;
    const std::string name = name_for(state, *value);
    kept_.insert(place, {name, *value});
    replaced_.clear();
    control.request_checkpoint(name);
    release_surplus(control);
  }

  std::string name_for(const kinema::FitState& state, double value) const {
    char text[64];
    std::snprintf(text, sizeof text, "-epoch%lld-%.6g", static_cast<long long>(state.epoch), value);
    std::string name = "top-" + folder_safe(options_.monitor) + folder_safe(text);
    const auto taken = [&](const Kept& kept) { return kept.name == name; };
    if (std::any_of(kept_.begin(), kept_.end(), taken)) name += "-step" + std::to_string(state.step);
    return name;
  }

  void release_surplus(kinema::FitControl& control) {
    for (; static_cast<std::int64_t>(kept_.size()) > options_.k; kept_.pop_back()) {
      control.release_checkpoint(kept_.back().name);
      replaced_.insert(replaced_.begin(), kept_.back());
    }
  }

  TopKOptions options_;
  bool higher_;
  std::vector<Kept> kept_;      // best first
  std::vector<Kept> replaced_;  // given up for the latest request, best first
};

kinema::Options<TopKOptions> options() {
  using O = TopKOptions;
  return kinema::Options<O>()
      .add("monitor", &O::monitor,
           "the metric to rank by: train/... after each epoch, any other after each evaluation",
           kinema::not_empty())
      .add_enum("mode", &O::mode, kMonitorModeHelp, monitor_modes())
      .add("k", &O::k, "how many checkpoints to keep", kinema::at_least(1));
}

}  // namespace

KINEMA_PLUGIN("top_k_checkpoint", "1.0", "keeps the checkpoints of the best evaluations or epochs") {
  registrar.add<kinema::Callback>(
      "top_k_checkpoint", "keeps the checkpoints of the best evaluations or epochs", options(),
      [](const TopKOptions& o, kinema::Context&) { return std::make_shared<TopKCheckpoint>(o); });
}
