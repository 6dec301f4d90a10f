#pragma once

#include <memory>

#include "fusion.h"
#include "kinema/model.h"

namespace kinema::two_stream {

// Simonyan and Zisserman 2014, "Two-Stream Convolutional Networks for Action Recognition in Videos": two
// networks, each with the clips of its modality, whose predictions are fused. Parameters are those of the
// streams under `rgb.` and `flow.`. extra["rgb_logits"] and extra["flow_logits"] are the streams' own, for a
// loss of each; extra["probabilities"] in eval mode are the fused ones.
std::shared_ptr<Model> make_two_stream(const FusionRule& rule, std::shared_ptr<Model> rgb,
                                       std::shared_ptr<Model> flow);

}  // namespace kinema::two_stream
