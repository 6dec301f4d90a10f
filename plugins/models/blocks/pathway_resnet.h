#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "blocks/resnet_options.h"
#include "kinema/model.h"

namespace kinema::blocks {

struct Pathway {
  std::int64_t width = 64;        // channels of the stem
  std::int64_t stem_frames = 1;   // temporal kernel of the stem
  std::int64_t stem_stride = 1;   // in time, of the stem's convolution and again of its pool
  std::int64_t pool_padding = 1;  // in space, of the stem's pool
  // Temporal kernels of the residual blocks of each stage, repeated over its blocks: {3, 1} is every other.
  std::vector<std::vector<std::int64_t>> kernels;
  // How many blocks of the third stage, from its first, have these kernels; the others have 1. 0: all.
  std::int64_t temporal_blocks = 0;
};

// Whose details. In MMAction2 lateral connections are bare convolutions, the slow pathway sees every alpha-th
// frame, the classifier has the fast channels first and always sees the mean of the whole map.
enum class Arrangement { pyslowfast, mmaction2 };

// A network of one pathway, or of a slow one and a fast one that feeds it.
struct PathwayResnetPlan {
  ResnetOptions options;
  std::vector<Pathway> pathways;  // the slow one first
  bool pool_frames = false;       // halves the frames after the first stage
  std::int64_t alpha = 8;         // frames of the fast pathway per frame of the slow one
  std::int64_t fusion_kernel = 5;
  std::int64_t fusion_ratio = 2;  // channels that the slow pathway gains per channel of the fast one
  std::vector<std::vector<std::int64_t>> nonlocal_places;  // where the options name none
  Arrangement arrangement = Arrangement::pyslowfast;
};

// The video ResNets of PySlowFast: C2D and I3D (Wang et al. 2018), Slow and SlowFast (Feichtenhofer et al.
// 2019, "SlowFast Networks for Video Recognition"). Parameter names and initialisation are PySlowFast's. With
// two pathways the slow one sees the frames at torch.linspace(0, T - 1, T / alpha), rounded down. Features
// are the maps of each pathway behind the last stage, the slow one first.
std::shared_ptr<Model> make_pathway_resnet(const PathwayResnetPlan& plan, std::int64_t classes);

}  // namespace kinema::blocks
