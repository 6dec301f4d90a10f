#pragma once

#include <cstdint>
#include <vector>

#include "kinema/layers.h"
#include "kinema/model.h"

namespace kinema::blocks {

// What turns logits into the probabilities that an evaluation averages.
enum class HeadActivation { softmax, sigmoid };

struct PathwayHeadOptions {
  std::int64_t in = 0;  // channels of all pathways together
  std::int64_t classes = 0;
  double dropout = 0.5;
  HeadActivation activation = HeadActivation::softmax;
  std::int64_t window = 7;  // side of the map that is averaged into one position
};

// Classifier on the maps of all pathways. A map larger than the window, from a clip larger than those of the
// training, gives several positions: `logits` are their mean, and in eval mode extra["probabilities"] is the
// mean of each position's activation, which is how PySlowFast tests (activation first, then mean). The name
// is PySlowFast's: `projection`.
class PathwayHead : public Module {
 public:
  explicit PathwayHead(const PathwayHeadOptions& options);
  Output operator()(const std::vector<at::Tensor>& maps);

 private:
  PathwayHeadOptions options_;
  Child<Dropout> dropout_;
  Child<Linear> projection_;
};

// Activation over the last dimension.
at::Tensor activate(const at::Tensor& logits, HeadActivation activation);

}  // namespace kinema::blocks
