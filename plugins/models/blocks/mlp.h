#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "kinema/layers.h"

namespace kinema::blocks {

struct MlpOptions {
  std::int64_t in = 0;
  std::int64_t hidden = 0;
  std::int64_t out = 0;
  double dropout = 0;  // behind each linear layer
  // Linear, GELU, dropout, linear, dropout: torchvision's names, the places in the row.
  std::array<const char*, 5> names = {"0", "1", "2", "3", "4"};
};

// The names of timm and of the programs that follow it: `fc1`, `fc2`.
inline constexpr std::array<const char*, 5> kTimmMlp = {"fc1", "act", "drop1", "fc2", "drop2"};

// Two layers on each token, between which its channels are more.
std::shared_ptr<Sequential> make_mlp(const MlpOptions& options);

}  // namespace kinema::blocks
