#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/train/run_state.h"
#include "kinema/callback.h"

namespace kinema::train {

struct NamedCallback {
  std::string type;  // for messages and as the key of its saved state
  std::shared_ptr<Callback> callback;
};

// Calls the run's callbacks in the order of the file and collects what they ask for. An exception names the
// callback.
class Events : public FitControl {
 public:
  Events(std::vector<NamedCallback> callbacks, std::function<void(std::string_view)> info);

  // One of the six moments that take no path: events.tell(&Callback::step_end, state).
  using Moment = void (Callback::*)(const FitState&, FitControl&);
  void tell(Moment moment, const FitState& state);
  void tell_saved(const FitState& state, const std::string& path);

  // What was asked for since the last call.
  std::optional<std::string> stop_reason() const { return stop_reason_; }
  // The oldest request that has not been served; until then save() carries it.
  std::optional<std::string> next_checkpoint_request();
  std::vector<std::string> take_releases() { return std::exchange(released_, {}); }

  Value save() const;
  void load(const Value& saved);  // callbacks that are new since the save start afresh

  void request_stop(std::string reason) override;
  void request_checkpoint(std::string name) override { wanted_.push_back(std::move(name)); }
  void release_checkpoint(std::string name) override { released_.push_back(std::move(name)); }
  void info(std::string_view text) override { info_(text); }

 private:
  std::string key(std::size_t position) const;

  std::vector<NamedCallback> callbacks_;
  std::function<void(std::string_view)> info_;
  std::optional<std::string> stop_reason_;
  std::vector<std::string> wanted_, released_;
};

}  // namespace kinema::train
