#pragma once

#include <cstdint>
#include <memory>

#include "kinema/model.h"
#include "options.h"

namespace kinema::video_swin {

// Liu et al. 2022, "Video Swin Transformer". Parameter names and initialisation as in
// torchvision.models.video. Clips of any size: what patches, windows and mergings do not divide is padded
// with zeros.
std::shared_ptr<Model> make_network(const VideoSwinOptions& options, std::int64_t classes);

}  // namespace kinema::video_swin
