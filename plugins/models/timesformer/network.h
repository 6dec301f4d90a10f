#pragma once

#include <cstdint>
#include <memory>

#include "kinema/model.h"
#include "options.h"

namespace kinema::timesformer {

// Bertasius et al. 2021, "Is Space-Time Attention All You Need for Video Understanding?". Parameter names and
// initialisation as in facebookresearch/TimeSformer. For clips of another size than the options say, the
// tables of places and frames are resized to the nearest neighbour, as there.
std::shared_ptr<Model> make_network(const TimesformerOptions& options, std::int64_t classes);

}  // namespace kinema::timesformer
