#pragma once

#include <string>

#include "kinema/value.h"

namespace kinema::config {

// A table (Experiment::resolved) as TOML text that parses back to an equal table: sections with headers,
// literal ${ escaped. `origins`: each line ends in a comment that tells where its value came from.
std::string show(const Value& resolved, bool origins = false);

}  // namespace kinema::config
