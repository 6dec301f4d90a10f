#include "kinema/context.h"

namespace kinema {

Context::~Context() = default;

}  // namespace kinema
