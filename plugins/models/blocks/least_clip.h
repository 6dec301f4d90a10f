#pragma once

#include <string>

#include "kinema/layers.h"
#include "kinema/model.h"

namespace kinema::blocks {

// The clip of a modality as checked_clip() gives it. Throws Error(run) when it has fewer frames, rows or
// columns than `least`, which it names.
const at::Tensor& clip_of_at_least(const ClipBatch& batch, const std::string& modality,
                                   const Extent<3>& least);

}  // namespace kinema::blocks
