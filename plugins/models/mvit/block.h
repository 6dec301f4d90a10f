#pragma once

#include <memory>

#include "kinema/layers.h"
#include "options.h"
#include "plan.h"

namespace kinema::mvit {

// One block of a multiscale transformer on [N, 1 + positions, channels]: attention whose queries, keys and
// values are pooled, then an MLP, each beside a path that skips it. Names as in torchvision.
std::shared_ptr<Layer> make_block(const MvitOptions& options, const BlockPlan& plan, double stochastic_depth);

}  // namespace kinema::mvit
