#pragma once

#include <cstdint>
#include <string>

#include "blocks/pathway_head.h"

namespace kinema::x3d {

// The axes of the paper that shape the network; the others (frames, their distance, pixels) are the clip's.
struct X3dOptions {
  double width_factor = 2;          // gamma_w
  double depth_factor = 2.2;        // gamma_d
  double bottleneck_factor = 2.25;  // gamma_b
  std::int64_t stem_width = 12;     // before width_factor
  std::int64_t head_width = 2048;
  double se_ratio = 0.0625;
  bool channelwise = true;
  bool scale_res2 = false;
  bool head_norm = false;
  bool zero_init_last_norm = true;
  double dropout = 0.5;
  std::int64_t frames = 0;
  std::int64_t crop = 160;
  blocks::HeadActivation activation = blocks::HeadActivation::softmax;
  std::string modality = "rgb";
};

}  // namespace kinema::x3d
