#pragma once

#include <vector>

#include "blocks/pathway_head.h"
#include "blocks/roi_align.h"

namespace kinema::blocks {

// Classifier of boxes, as PySlowFast's for AVA: each pathway's map is averaged over time, RoIAlign and its
// maximum give one vector a box. Logits [R, classes]; in eval mode extra["probabilities"] is their
// activation. The name is PySlowFast's: `projection`.
class RoiHead : public Module {
 public:
  RoiHead(const PathwayHeadOptions& options, const RoiAlignOptions& align);
  // Maps [N, C, T, H, W]; throws Error(run) when `boxes` is not [R, 5].
  Output operator()(const std::vector<at::Tensor>& maps, const at::Tensor& boxes);

 private:
  HeadActivation activation_;
  RoiAlignOptions align_;
  Child<Dropout> dropout_;
  Child<Linear> projection_;
};

}  // namespace kinema::blocks
