#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kinema::mvit {

// How a token knows its place: vectors for each place in space and for each frame that are added to it
// (MViT), or vectors for each distance along an axis that queries are compared with (MViTv2).
enum class Positions { absolute, relative };
// What widens the tokens of a stage: the MLP of the last block before it (MViT), or the attention of its
// first block (MViTv2).
enum class Widening { mlp, attention };

// The tables of the papers: sizes are frames, height, width.
struct MvitOptions {
  std::int64_t frames = 16;
  std::int64_t crop = 224;
  std::vector<std::int64_t> patch_kernel = {3, 7, 7};
  std::vector<std::int64_t> patch_stride = {2, 4, 4};
  std::vector<std::int64_t> patch_padding = {1, 3, 3};
  std::int64_t embed_dim = 96;                       // channels of the first stage; each stage doubles them
  std::vector<std::int64_t> depths = {1, 2, 11, 2};  // blocks of each stage
  std::vector<std::int64_t> heads = {1, 2, 4, 8};    // of each stage
  double mlp_ratio = 4;
  std::vector<std::int64_t> pool_kernel = {3, 3, 3};
  std::vector<std::int64_t> q_stride = {1, 2, 2};   // at the first block of each stage but the first
  std::vector<std::int64_t> kv_stride = {1, 8, 8};  // of the first stage; each q_stride divides it
  bool pool_every_query = false;
  bool residual_pooling = false;
  Positions positions = Positions::absolute;
  Widening widening = Widening::mlp;
  double stochastic_depth = 0.2;
  double dropout = 0.5;
  double block_dropout = 0;
  std::string modality = "rgb";
};

}  // namespace kinema::mvit
