#pragma once

#include <cstdint>
#include <memory>

#include "kinema/model.h"
#include "options.h"

namespace kinema::i3d {

// Inception-v1 inflated over time: Carreira and Zisserman 2017, "Quo Vadis, Action Recognition?". Names and
// arithmetic as in pytorch-i3d, a port of DeepMind's kinetics-i3d. `logits` are the mean over time of the
// logits of each place in time, which are extra["time_logits"], [N, classes, T'].
std::shared_ptr<Model> make_inception(const I3dOptions& options, std::int64_t classes);

}  // namespace kinema::i3d
