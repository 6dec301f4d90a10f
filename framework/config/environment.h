#pragma once

#include <string>
#include <vector>

#include "kinema/error.h"
#include "kinema/value.h"

namespace kinema::config {

// Replaces ${NAME} in every string by the environment's value; $${ stands for a literal ${. A variable that
// is not set is a problem at the string that names it.
void expand_environment(Value& value, const std::string& path, std::vector<Problem>& problems);

// The value whose expansion is `value`: every ${ in its strings written as $${.
Value escaped_for_expansion(const Value& value);

}  // namespace kinema::config
