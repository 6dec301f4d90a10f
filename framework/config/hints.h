#pragma once

#include <vector>

#include "kinema/catalog.h"
#include "kinema/error.h"

namespace kinema::config {

// Improves the hints of unknown keys with what only the whole file shows: that the key belongs in another
// section, or that it is left over from a weaker layer whose component another `type` has replaced.
void add_whole_file_hints(const Value& file, const Catalog* catalog, std::vector<Problem>& problems);

}  // namespace kinema::config
