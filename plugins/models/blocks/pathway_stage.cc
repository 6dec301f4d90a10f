#include "blocks/pathway_stage.h"

#include <ATen/ops/cat.h>

#include "blocks/bottleneck.h"

namespace kinema::blocks {

PathwayStage& PathwayStage::add(std::size_t pathway, const std::string& name, std::shared_ptr<Layer> layer) {
  const std::string full = "pathway" + std::to_string(pathway) + "_" + name;
  rows_.at(pathway).push_back(child_of<Layer>(full, std::move(layer)));
  return *this;
}

std::vector<at::Tensor> PathwayStage::operator()(std::vector<at::Tensor> x) {
  for (std::size_t p = 0; p < rows_.size(); ++p)
    for (const Child<Layer>& layer : rows_[p])
      x[p] = block(
          *this, layer->name(), [&](const at::Tensor& in) { return layer(in); }, x[p]);
  return x;
}

Fusion::Fusion(const FusionOptions& o)
    : conv_(child_of<Conv3d>("conv_f2s",
                             same_conv(o.fast_channels, o.out, {o.kernel, 1, 1}, {o.alpha, 1, 1}))) {
  if (o.bare) return;
  bn_ = child<BatchNorm>("bn", o.out);
  relu_ = child<Relu>("relu", true);
}

std::vector<at::Tensor> Fusion::operator()(const std::vector<at::Tensor>& x) {
  const at::Tensor lateral = conv_(x[1]);
  return {at::cat({x[0], bn_ ? relu_(bn_(lateral)) : lateral}, 1), x[1]};
}

}  // namespace kinema::blocks
