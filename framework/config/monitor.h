#pragma once

#include <string>
#include <vector>

#include "kinema/error.h"

namespace kinema::config {

// Names that the host's own metrics give.
const std::vector<std::string>& builtin_metrics();

// Adds a problem when `name` is neither built in nor in `more`. `path` ("trainer.monitor") is for messages
// about values that have no line.
void check_monitor(const std::string& name, const std::vector<std::string>& more, const Origin& origin,
                   const std::string& path, std::vector<Problem>& problems);

}  // namespace kinema::config
