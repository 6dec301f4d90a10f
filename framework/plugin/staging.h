#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "kinema/catalog.h"
#include "kinema/error.h"
#include "kinema/registrar.h"

namespace kinema::plugin {

// Third step of the door. Runs a registration function against a registrar of its own and gives what it
// offered. Whatever it throws becomes Error(plugin) at `where`, with the type and text of what was thrown.
std::deque<Registration> stage(const std::function<void(Registrar&)>& register_components,
                               const std::string& where);

// Everything that forbids merging: nothing registered, unknown kind, names that are not snake_case, an option
// declared twice, a default or a preset that fails the option's own checks, no factory, a name taken within
// the library or in `catalog` (the message names both files).
std::vector<Problem> check_staged(const std::deque<Registration>& staged, const Catalog& catalog,
                                  const std::string& where);

// The exception in flight as text: "std::runtime_error: the text", or only its type when it has no text. For
// use in a catch block.
std::string describe_exception();

}  // namespace kinema::plugin
