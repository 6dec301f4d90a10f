#pragma once

#include <map>
#include <string>
#include <vector>

#include "kinema/module.h"

namespace kinema::infer {

// A result that the user asked for by name: whole or not at all, in the place of what was there.
void write_tensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                   const std::map<std::string, std::string>& metadata = {});

}  // namespace kinema::infer
