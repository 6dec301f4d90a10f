#include "blocks/roi_head.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/max_pool2d.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <sstream>

#include "kinema/error.h"

namespace kinema::blocks {
namespace {

void check(const at::Tensor& boxes) {
  if (boxes.defined() && boxes.dim() == 2 && boxes.size(1) == 5) return;
  std::ostringstream got;
  if (boxes.defined())
    got << boxes.sizes();
  else
    got << "none";
  throw Error(ErrorKind::run, "boxes",
              "wrong shape: expected [boxes, 5] (batch index, x1, y1, x2, y2), got " + got.str());
}

// [N, C, T, H, W] -> [R, C]
at::Tensor pooled(const at::Tensor& map, const at::Tensor& boxes, const RoiAlignOptions& align) {
  // Half precision is too coarse for the weights of cells.
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  const at::ScalarType exact = map.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor bins = roi_align(map.to(exact).mean(2), boxes, align);
  return at::max_pool2d(bins, {align.size, align.size}).flatten(1);
}

}  // namespace

RoiHead::RoiHead(const PathwayHeadOptions& o, const RoiAlignOptions& align)
    : activation_(o.activation),
      align_(align),
      dropout_(child<Dropout>("dropout", o.dropout)),
      projection_(child<Linear>("projection", o.in, o.classes)) {}

Output RoiHead::operator()(const std::vector<at::Tensor>& maps, const at::Tensor& boxes) {
  check(boxes);
  std::vector<at::Tensor> vectors;
  for (const at::Tensor& map : maps) vectors.push_back(pooled(map, boxes, align_));
  Output output{projection_(dropout_(at::cat(vectors, 1))), {}};
  if (!training()) output.extra["probabilities"] = activate(output.logits, activation_);
  return output;
}

}  // namespace kinema::blocks
