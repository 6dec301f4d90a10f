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

// What a callback asked for: to write a checkpoint, or to give one up.
struct CheckpointRequest {
  bool release = false;
  std::string name;
  std::size_t callback = 0;  // its position; past the end: one that the run no longer has
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

  // A checkpoint that was asked for could not be written: the releases that its callback asked for and that
  // still wait are forgotten, and the callback is told if it handles that.
  void tell_failed(const FitState& state, const CheckpointRequest& request);

  std::optional<std::string> stop_reason() const { return stop_reason_; }
  // The oldest request that has not been served; until then save() carries it.
  std::optional<CheckpointRequest> next_request();

  Value save();
  void load(const Value& saved);  // callbacks that are new since the save start afresh

  void request_stop(std::string reason) override;
  void request_checkpoint(std::string name) override { asked_.push_back({false, std::move(name), told_}); }
  void release_checkpoint(std::string name) override { asked_.push_back({true, std::move(name), told_}); }
  void info(std::string_view text) override { info_(text); }

 private:
  std::string key(std::size_t position) const;
  template <class Call>
  void guarded(std::size_t position, Call call);

  std::vector<NamedCallback> callbacks_;
  std::function<void(std::string_view)> info_;
  std::optional<std::string> stop_reason_;
  std::vector<CheckpointRequest> asked_;
  std::size_t told_ = 0;  // position of the callback that is running
};

}  // namespace kinema::train
