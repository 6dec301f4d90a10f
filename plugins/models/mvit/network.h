#pragma once

#include <cstdint>
#include <memory>

#include "kinema/model.h"
#include "options.h"

namespace kinema::mvit {

// Multiscale vision transformers: Fan et al. 2021 (MViT) and Li et al. 2022 (MViTv2). Parameter names and
// initialisation as in torchvision.models.video. The tables of positions are those of one size of clips;
// others are refused.
std::shared_ptr<Model> make_network(const MvitOptions& options, std::int64_t classes);

}  // namespace kinema::mvit
