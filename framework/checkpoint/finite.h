#pragma once

#include <vector>

#include "kinema/module.h"

namespace kinema::checkpoint {

// False when a floating point tensor holds NaN or infinity. float8 is not looked at.
bool all_finite(const std::vector<NamedTensor>& tensors);

}  // namespace kinema::checkpoint
