#pragma once

#include <string>

#include "kinema/value.h"

namespace kinema {

// A component that an option names: a table with `type` (and perhaps `preset`) and that component's own keys.
// It is a description; `context.make(component)` builds it. So plugins are made of plugins: concat of data
// sets, a two-stream model, a weighted sum of losses, a teacher.
template <class Kind>
struct Component {
  std::string type;                // empty: not given
  Value options = Value::table();  // without `type`

  explicit operator bool() const noexcept { return !type.empty(); }
};

}  // namespace kinema
