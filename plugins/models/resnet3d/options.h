#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kinema::resnet3d {

// Whose arrangement of layers and parameter names.
enum class Layout { torchvision, hara };
// What a residual block convolves with. basic3d: 3x3x3; in hara's layout with 50 layers or more one 3x3x3
// between two 1x1x1. mixed: 3x3x3 in the first stage and 1x3x3 after it. factored: 1x3x3 followed by 3x1x1
// through as many channels as keep the number of parameters. preact: batch norm and ReLU before each
// convolution. wide: bottlenecks that widen twice instead of four times. resnext: the same with grouped
// 3x3x3.
enum class Block { basic3d, mixed, factored, preact, wide, resnext };
enum class Stem { basic, factored };
// Where a block changes the shape: a 1x1x1 convolution (B), or a stride and channels of zeros (A).
enum class Shortcut { convolution, zeros };

struct Resnet3dOptions {
  Layout layout = Layout::torchvision;
  Block block = Block::basic3d;
  std::int64_t depth = 18;
  std::vector<std::int64_t> blocks;  // per stage; empty: what depth says
  std::int64_t width = 64;           // channels of the first stage; each stage doubles them
  double widen_factor = 1;           // of each stage's channels, rounded down
  Stem stem = Stem::basic;
  std::int64_t stem_frames = 7;
  std::int64_t stem_stride = 1;
  bool no_max_pool = false;
  Shortcut shortcut = Shortcut::convolution;
  std::int64_t cardinality = 32;
  double dropout = 0;
  std::string modality = "rgb";
};

// Residual blocks of each stage.
std::vector<std::int64_t> blocks_per_stage(const Resnet3dOptions& options);

// Channels that hara's stages work with, before a bottleneck widens them.
std::vector<std::int64_t> planes_per_stage(const Resnet3dOptions& options);

// Channels of the grouped convolution of a ResNeXt block.
std::int64_t grouped_channels(const Resnet3dOptions& options, std::int64_t planes);

// Whether blocks have a 1x1x1 convolution on both sides.
bool has_bottlenecks(const Resnet3dOptions& options);

// What is wrong with the options as a whole.
std::vector<std::string> problems_of(const Resnet3dOptions& options);

}  // namespace kinema::resnet3d
