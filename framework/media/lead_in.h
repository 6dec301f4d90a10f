#pragma once

#include "framework/media/index.h"

namespace kinema::media {

// Frames that stand between the one where decoding begins and the one that is wanted, on average over all
// frames of a file.
double mean_lead_in(const Index& index);

}  // namespace kinema::media
