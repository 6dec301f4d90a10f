#include "head.h"

#include <ATen/ops/avg_pool3d.h>

#include <algorithm>

#include "blocks/bottleneck.h"

namespace kinema::x3d {
namespace {

// [N, T, H, W, C] -> [N, C]
at::Tensor mean_of_positions(const at::Tensor& x) { return x.mean(at::IntArrayRef({1, 2, 3})); }

}  // namespace

Head::Head(const HeadOptions& o)
    : options_(o),
      conv_5_(child_of<Conv3d>("conv_5", blocks::same_conv(o.in, o.inner, 1))),
      conv_5_bn_(child<BatchNorm>("conv_5_bn", o.inner)),
      conv_5_relu_(child<Relu>("conv_5_relu", true)),
      lin_5_(child_of<Conv3d>("lin_5", blocks::same_conv(o.inner, o.out, 1))) {
  if (o.norm) lin_5_bn_ = child<BatchNorm>("lin_5_bn", o.out);
  lin_5_relu_ = child<Relu>("lin_5_relu", true);
  dropout_ = child<Dropout>("dropout", o.dropout);
  projection_ = child<Linear>("projection", o.out, o.classes);
}

at::Tensor Head::conv5(const at::Tensor& x) { return conv_5_relu_(conv_5_bn_(conv_5_(x))); }

Output Head::classify(const at::Tensor& map) {
  const HeadOptions& o = options_;
  const std::int64_t frames = o.frames > 0 ? std::min(o.frames, map.size(2)) : map.size(2);
  at::Tensor x =
      at::avg_pool3d(map, {frames, std::min(o.side, map.size(3)), std::min(o.side, map.size(4))}, 1);
  x = lin_5_(x);
  if (lin_5_bn_) x = lin_5_bn_(x);
  const at::Tensor logits = projection_(dropout_(lin_5_relu_(x).permute({0, 2, 3, 4, 1})));
  Output output{mean_of_positions(logits), {}};
  if (!training()) output.extra["probabilities"] = mean_of_positions(blocks::activate(logits, o.activation));
  return output;
}

}  // namespace kinema::x3d
