#include "blocks/pathway_keys.h"

#include <string>

namespace kinema::blocks {
namespace {

using Rewrites = std::vector<std::pair<std::string, std::string>>;

std::string number(int n) { return std::to_string(n); }
std::string stage_name(int stage) { return std::string("s").append(number(stage)); }

// PyTorchVideo numbers the parts of a network; a pool over frames takes a number too.
Rewrites pytorchvideo(bool two_pathways, bool pool_frames) {
  const std::string inner = two_pathways ? "multipathway_blocks\\.(\\d+)\\." : "()";
  const std::string pathway = two_pathways ? "pathway$1_" : "pathway0_";
  const int shift = pool_frames ? 1 : 0;
  Rewrites rules = {{"^model\\.", ""},
                    {"^blocks\\.0\\." + inner + "conv\\.", "s1." + pathway + "stem.conv."},
                    {"^blocks\\.0\\." + inner + "norm\\.", "s1." + pathway + "stem.bn."}};
  for (int stage = 2; stage <= 5; ++stage) {
    const int block = stage == 2 ? 1 : stage - 1 + shift;
    rules.push_back({"^blocks\\." + number(block) + "\\." + inner + "res_blocks\\.(\\d+)\\.",
                     stage_name(stage) + "." + pathway + "res$2."});
  }
  for (int stage = 1; stage <= 4; ++stage) {
    const std::string fusion = "^blocks\\." + number(stage - 1) + "\\.multipathway_fusion\\.";
    rules.push_back({fusion + "conv_fast_to_slow\\.", stage_name(stage) + "_fuse.conv_f2s."});
    rules.push_back({fusion + "norm\\.", stage_name(stage) + "_fuse.bn."});
  }
  rules.insert(rules.end(), {{"\\.branch1_conv\\.", ".branch1."},
                             {"\\.branch1_norm\\.", ".branch1_bn."},
                             {"\\.branch2\\.conv_([abc])\\.", ".branch2.$1."},
                             {"\\.branch2\\.norm_([abc])\\.", ".branch2.$1_bn."},
                             {"^blocks\\.[56]\\.proj\\.", "head.projection."},
                             {"^detection_head\\.proj\\.", "head.projection."}});
  return rules;
}

}  // namespace

std::vector<KeyMap> pathway_key_maps(bool two_pathways, bool pool_frames) {
  return {{"pyslowfast", {}}, {"pytorchvideo", pytorchvideo(two_pathways, pool_frames)}};
}

}  // namespace kinema::blocks
