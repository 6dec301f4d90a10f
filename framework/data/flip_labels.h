#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kinema/dataset.h"

namespace kinema::data {

// The class that each class becomes in a mirror, by label: pairs change places, all others stay. Throws
// Error(usage) for names that are no class.
std::vector<std::int64_t> mirrored_classes(const std::vector<std::vector<std::string>>& pairs,
                                           const std::vector<std::string>& classes);

// Label, values and the classes of boxes as a mirror shows them.
void mirror(Target& target, const std::vector<std::int64_t>& mirrored);

}  // namespace kinema::data
