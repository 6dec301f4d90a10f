#include "framework/train/events.h"

#include <utility>

#include "kinema/error.h"

namespace kinema::train {
namespace {

constexpr const char* kAsked = "asked";

const char* what_of(const CheckpointRequest& request) { return request.release ? "release" : "checkpoint"; }

}  // namespace

Events::Events(std::vector<NamedCallback> callbacks, std::function<void(std::string_view)> info)
    : callbacks_(std::move(callbacks)), info_(std::move(info)) {}

// Runs a call into a callback; whatever it throws comes out as an Error that names it.
template <class Call>
void Events::guarded(std::size_t position, Call call) {
  told_ = position;
  const NamedCallback& named = callbacks_[position];
  try {
    call(*named.callback);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::plugin, "callback " + named.type, error.what());
  } catch (...) {
    throw Error(ErrorKind::plugin, "callback " + named.type, "threw something that is not an exception");
  }
}

void Events::tell(Moment moment, const FitState& state) {
  for (std::size_t i = 0; i < callbacks_.size(); ++i)
    guarded(i, [&](Callback& callback) { (callback.*moment)(state, *this); });
}

void Events::tell_saved(const FitState& state, const std::string& path) {
  for (std::size_t i = 0; i < callbacks_.size(); ++i)
    guarded(i, [&](Callback& callback) { callback.checkpoint_saved(state, *this, path); });
}

void Events::tell_failed(const FitState& state, const CheckpointRequest& request) {
  std::erase_if(asked_, [&](const CheckpointRequest& waiting) {
    return waiting.release && waiting.callback == request.callback;
  });
  if (request.callback >= callbacks_.size()) return;
  guarded(request.callback, [&](Callback& callback) {
    if (auto* able = dynamic_cast<HandlesFailedCheckpoint*>(&callback))
      able->checkpoint_failed(state, *this, request.name);
  });
}

void Events::request_stop(std::string reason) {
  if (!stop_reason_) stop_reason_ = std::move(reason);
}

std::optional<CheckpointRequest> Events::next_request() {
  if (asked_.empty()) return std::nullopt;
  CheckpointRequest oldest = std::move(asked_.front());
  asked_.erase(asked_.begin());
  return oldest;
}

std::string Events::key(std::size_t position) const {
  return position < callbacks_.size() ? std::to_string(position) + "." + callbacks_[position].type : "";
}

Value Events::save() {
  Value saved = Value::table();
  for (std::size_t i = 0; i < callbacks_.size(); ++i)
    guarded(i, [&](Callback& callback) { saved.set(key(i), callback.save()); });
  // A callback that asked believes that it got: what is still owed survives a kill.
  Value::Array owed;
  for (const CheckpointRequest& request : asked_)
    owed.push_back(Value::table({{what_of(request), request.name}, {"by", key(request.callback)}}));
  if (!owed.empty()) saved.set(kAsked, Value(std::move(owed)));
  return saved;
}

void Events::load(const Value& saved) {
  for (std::size_t i = 0; i < callbacks_.size(); ++i)
    if (const Value* state = saved.find(key(i)))
      guarded(i, [&](Callback& callback) { callback.load(*state); });
  asked_.clear();
  const Value* owed = saved.find(kAsked);
  if (!owed) return;
  for (const Value& entry : owed->as_array()) {
    const Value* released = entry.find("release");
    const Value* name = released ? released : entry.find("checkpoint");
    const Value* by = entry.find("by");
    if (!name || !by)
      throw Error(ErrorKind::data, "checkpoint state",
                  "bad request: expected a checkpoint or release, and by whom, got " + entry.text());
    std::size_t position = 0;
    while (position < callbacks_.size() && key(position) != by->as_string()) ++position;
    asked_.push_back({released != nullptr, name->as_string(), position});
  }
}

}  // namespace kinema::train
