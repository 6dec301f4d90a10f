#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/config/experiment.h"
#include "kinema/transform.h"

namespace kinema::data {

// Applied in order; shared by all worker threads.
using TransformList = std::vector<std::shared_ptr<const Transform>>;

// Builds one transform that the file lists (the host's Context::make).
using MakeTransform = std::function<std::shared_ptr<Transform>(const Component<Transform>&)>;

// What [clip] describes. Training: resize or short_side (jitter) -> random_crop -> flip -> normalise.
// Evaluation: resize or short_side (the lowest) -> center_crop, or uniform_crop for 3 spatial crops ->
// normalise. Where neither resize nor short_side is given, the short side becomes crop * 8 / 7 (112 -> 128,
// 224 -> 256). Throws Error(usage) for a crop that is larger than the resized picture.
TransformList default_transforms(const config::ClipOptions& clip, bool training);

// The list of the file where there is one, else the default one. A list without `normalise` gets the one of
// [clip] at its end.
TransformList build_transforms(const config::ClipOptions& clip, bool training,
                               const std::optional<std::vector<Component<Transform>>>& listed,
                               const MakeTransform& make);

// True when one of them makes mirrored clips.
bool mirrors(const TransformList& transforms);

// A warning when a transform mirrors clips and class names look as if left and right mattered, but for
// classes that `mirrored` (flip_labels.h) exchanges for others; else empty.
std::string directional_warning(const TransformList& transforms, const std::vector<std::string>& classes,
                                const std::vector<std::int64_t>& mirrored = {});

}  // namespace kinema::data
