#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinema/model.h"

namespace kinema::densenet3d {

struct Densenet3dOptions {
  std::int64_t depth = 121;
  std::vector<std::int64_t> blocks;  // layers of each dense block; empty: what depth says
  std::int64_t width = 64;           // channels of the first layer
  std::int64_t growth = 32;          // channels that each layer adds
  std::int64_t bottleneck = 4;       // times growth: channels between a layer's two convolutions
  std::int64_t stem_frames = 7;
  std::int64_t stem_stride = 1;
  bool no_max_pool = false;
  double layer_dropout = 0;
  double dropout = 0;
  std::string modality = "rgb";
};

// Layers of each dense block.
std::vector<std::int64_t> layers_per_block(const Densenet3dOptions& options);

// Densely connected networks (Huang et al. 2017) of three-dimensional convolutions, as in Hara et al. 2018:
// each layer, batch norm, ReLU and 1x1x1, then batch norm, ReLU and 3x3x3, sees the channels of all layers of
// its block before it. Between blocks a 1x1x1 convolution halves the channels and a mean of 2x2x2 the map.
// Parameter names, initialisation and numbers are those of kenshohara/3D-ResNets-PyTorch.
std::shared_ptr<Model> make_densenet(const Densenet3dOptions& options, std::int64_t classes);

}  // namespace kinema::densenet3d
