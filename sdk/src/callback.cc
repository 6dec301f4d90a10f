#include "kinema/callback.h"

namespace kinema {

FitControl::~FitControl() = default;
Callback::~Callback() = default;

}  // namespace kinema
