#include "kinema/dataset.h"

namespace kinema {

FrameSource::~FrameSource() = default;
Dataset::~Dataset() = default;
HasBoxes::~HasBoxes() = default;

}  // namespace kinema
