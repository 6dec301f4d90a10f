#pragma once

#include <filesystem>
#include <vector>

#include "kinema/value.h"

namespace kinema::data {

// Every `root` in the options of a data set, those of data sets inside it too; each once.
void add_roots(const Value& options, std::vector<std::filesystem::path>& roots);

}  // namespace kinema::data
