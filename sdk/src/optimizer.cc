#include "kinema/optimizer.h"

namespace kinema {

Optimizer::~Optimizer() = default;

}  // namespace kinema
