#include "kinema/loss.h"

namespace kinema {

Loss::~Loss() = default;

}  // namespace kinema
