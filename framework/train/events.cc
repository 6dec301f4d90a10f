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

constexpr const char* kWanted = "wanted checkpoints";
constexpr const char* kReleased = "released checkpoints";

Value array_of(const std::vector<std::string>& texts) {
  Value::Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return Value(std::move(array));
}

std::vector<std::string> texts_in(const Value* array) {
  std::vector<std::string> texts;
  if (!array) return texts;
  for (const Value& text : array->as_array()) texts.push_back(text.as_string());
  return texts;
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

std::optional<std::string> Events::next_checkpoint_request() {
  if (wanted_.empty()) return std::nullopt;
  std::string name = std::move(wanted_.front());
  wanted_.erase(wanted_.begin());
  return name;
}

std::string Events::key(std::size_t position) const {
  return std::to_string(position) + "." + callbacks_[position].type;
}

Value Events::save() const {
  Value saved = Value::table();
  for (std::size_t i = 0; i < callbacks_.size(); ++i)
    guarded(callbacks_[i].type, [&] { saved.set(key(i), callbacks_[i].callback->save()); });
  // A callback that asked believes that it got: what is still owed survives a kill.
  if (!wanted_.empty()) saved.set(kWanted, array_of(wanted_));
  if (!released_.empty()) saved.set(kReleased, array_of(released_));
  return saved;
}

void Events::load(const Value& saved) {
  for (std::size_t i = 0; i < callbacks_.size(); ++i)
    if (const Value* state = saved.find(key(i)))
      guarded(callbacks_[i].type, [&] { callbacks_[i].callback->load(*state); });
  wanted_ = texts_in(saved.find(kWanted));
  released_ = texts_in(saved.find(kReleased));
}

}  // namespace kinema::train
