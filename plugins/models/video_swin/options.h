#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kinema::video_swin {

// The tables of the paper: sizes are frames, height, width.
struct VideoSwinOptions {
  std::vector<std::int64_t> patch_size = {2, 4, 4};
  std::int64_t embed_dim = 96;  // channels of the first stage; each stage doubles them
  std::vector<std::int64_t> depths = {2, 2, 6, 2};
  std::vector<std::int64_t> heads = {3, 6, 12, 24};
  std::vector<std::int64_t> window = {8, 7, 7};
  double mlp_ratio = 4;
  double stochastic_depth = 0.1;
  double dropout = 0;
  double block_dropout = 0;
  double attention_dropout = 0;
  std::string modality = "rgb";
};

}  // namespace kinema::video_swin
