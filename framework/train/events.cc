#include "framework/train/events.h"

#include <utility>

#include "kinema/error.h"

namespace kinema::train {
namespace {

// Runs a call into a callback; whatever it throws comes out as an Error that names it.
template <class Call>
void guarded(const std::string& type, Call call) {
  try {
    call();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::plugin, "callback " + type, error.what());
  } catch (...) {
    throw Error(ErrorKind::plugin, "callback " + type, "threw something that is not an exception");
  }
}

}  // namespace

Events::Events(std::vector<NamedCallback> callbacks, std::function<void(std::string_view)> info)
    : callbacks_(std::move(callbacks)), info_(std::move(info)) {}

void Events::tell(Moment moment, const FitState& state) {
  for (const NamedCallback& named : callbacks_)
    guarded(named.type, [&] { (named.callback.get()->*moment)(state, *this); });
}

void Events::tell_saved(const FitState& state, const std::string& path) {
  for (const NamedCallback& named : callbacks_)
    guarded(named.type, [&] { named.callback->checkpoint_saved(state, *this, path); });
}

void Events::request_stop(std::string reason) {
  if (!stop_reason_) stop_reason_ = std::move(reason);
}

std::string Events::key(std::size_t position) const {
  return std::to_string(position) + "." + callbacks_[position].type;
}

Value Events::save() const {
  Value saved = Value::table();
  for (std::size_t i = 0; i < callbacks_.size(); ++i)
    guarded(callbacks_[i].type, [&] { saved.set(key(i), callbacks_[i].callback->save()); });
  return saved;
}

void Events::load(const Value& saved) {
  for (std::size_t i = 0; i < callbacks_.size(); ++i)
    if (const Value* state = saved.find(key(i)))
      guarded(callbacks_[i].type, [&] { callbacks_[i].callback->load(*state); });
}

}  // namespace kinema::train
