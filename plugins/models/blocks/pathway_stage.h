#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kinema/layers.h"

namespace kinema::blocks {

// One stage of a network with one or more pathways: layers in a row for each of them, named
// "pathway<p>_<name>" in order of addition. Each is a block() of the run context.
class PathwayStage : public Module {
 public:
  explicit PathwayStage(std::size_t pathways) : rows_(pathways) {}
  PathwayStage& add(std::size_t pathway, const std::string& name, std::shared_ptr<Layer> layer);
  std::vector<at::Tensor> operator()(std::vector<at::Tensor> x);

 private:
  std::vector<std::vector<Child<Layer>>> rows_;
};

struct FusionOptions {
  std::int64_t fast_channels = 0;
  std::int64_t out = 0;     // channels that the slow pathway gains
  std::int64_t kernel = 5;  // in time
  std::int64_t alpha = 8;   // frames of the fast pathway per frame of the slow one
  bool bare = false;        // without batch norm and ReLU
};

// The lateral connection from the fast to the slow pathway: Kx1x1 convolution with a stride in time, batch
// norm, ReLU, appended to the slow channels. Names as in PySlowFast: `conv_f2s`, `bn`.
class Fusion : public Module {
 public:
  explicit Fusion(const FusionOptions& options);
  // [slow, fast] -> [slow with more channels, fast]
  std::vector<at::Tensor> operator()(const std::vector<at::Tensor>& x);

 private:
  Child<Conv3d> conv_;
  Child<BatchNorm> bn_;
  Child<Relu> relu_;
};

}  // namespace kinema::blocks
