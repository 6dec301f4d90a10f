#pragma once

#include <string>
#include <vector>

#include "kinema/error.h"
#include "kinema/value.h"

namespace kinema::config {

// Replaces ${NAME} in every string by the environment's value; $${ stands for a literal ${. A variable that
// is not set is a problem at the string that names it.
void expand_environment(Value& value, const std::string& path, std::vector<Problem>& problems);

// The text that expands to `text`: every ${ written as $${.
std::string escaped_for_expansion(const std::string& text);

}  // namespace kinema::config
