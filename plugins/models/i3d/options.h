#pragma once

#include <string>
#include <vector>

#include "blocks/resnet_options.h"

namespace kinema::i3d {

// Which network is inflated, and whose details it has.
enum class Layout { resnet, mmaction2, inception };

struct I3dOptions : blocks::ResnetOptions {
  Layout layout = Layout::resnet;
  bool pool_frames = true;
  bool adaptive_pool = false;
};

// Options that have no effect in the chosen layout and yet another value than their default.
std::vector<std::string> idle_options(const I3dOptions& options);

}  // namespace kinema::i3d
