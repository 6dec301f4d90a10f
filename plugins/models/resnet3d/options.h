#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kinema::resnet3d {

// Whose arrangement of layers and parameter names.
enum class Layout { torchvision };
// The two convolutions of a residual block: 3x3x3; 3x3x3 in the first stage and 1x3x3 after it; or 1x3x3
// followed by 3x1x1 through as many channels as keep the number of parameters.
enum class Block { basic3d, mixed, factored };
enum class Stem { basic, factored };

struct Resnet3dOptions {
  Layout layout = Layout::torchvision;
  Block block = Block::basic3d;
  std::int64_t depth = 18;
  std::vector<std::int64_t> blocks;  // per stage; empty: what depth says
  std::int64_t width = 64;           // channels of the first stage; each stage doubles them
  Stem stem = Stem::basic;
  double dropout = 0;
  std::string modality = "rgb";
};

// Residual blocks of each stage.
std::vector<std::int64_t> blocks_per_stage(const Resnet3dOptions& options);

}  // namespace kinema::resnet3d
