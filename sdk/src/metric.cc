#include "kinema/metric.h"

namespace kinema {

Metric::~Metric() = default;
MeasuresBoxes::~MeasuresBoxes() = default;

}  // namespace kinema
