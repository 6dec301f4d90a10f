#include "kinema/metric.h"

namespace kinema {

Metric::~Metric() = default;

}  // namespace kinema
