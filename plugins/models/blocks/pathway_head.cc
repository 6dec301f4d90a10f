#include "blocks/pathway_head.h"

#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/cat.h>

#include <algorithm>

namespace kinema::blocks {
namespace {

// [N, T, H, W, C] -> [N, C]
at::Tensor mean_of_positions(const at::Tensor& x) { return x.mean(at::IntArrayRef({1, 2, 3})); }

}  // namespace

PathwayHead::PathwayHead(const PathwayHeadOptions& o)
    : options_(o),
      dropout_(child<Dropout>("dropout", o.dropout)),
      projection_(child<Linear>("projection", o.in, o.classes)) {}

at::Tensor activate(const at::Tensor& logits, HeadActivation activation) {
  return activation == HeadActivation::softmax ? logits.softmax(-1) : logits.sigmoid();
}

Output PathwayHead::operator()(const std::vector<at::Tensor>& maps) {
  std::vector<at::Tensor> pooled;
  for (const at::Tensor& map : maps)
    pooled.push_back(at::avg_pool3d(
        map, {map.size(2), std::min(options_.window, map.size(3)), std::min(options_.window, map.size(4))},
        1));
  const at::Tensor features = at::cat(pooled, 1).permute({0, 2, 3, 4, 1});
  const at::Tensor logits = projection_(dropout_(features));
  Output output{mean_of_positions(logits), {}};
  if (!training()) output.extra["probabilities"] = mean_of_positions(activate(logits, options_.activation));
  return output;
}

}  // namespace kinema::blocks
