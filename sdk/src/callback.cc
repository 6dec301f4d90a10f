#include "kinema/callback.h"

namespace kinema {

FitControl::~FitControl() = default;
Callback::~Callback() = default;
HandlesFailedCheckpoint::~HandlesFailedCheckpoint() = default;

}  // namespace kinema
