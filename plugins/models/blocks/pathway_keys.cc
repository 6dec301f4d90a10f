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

// Stages are called layer1 to layer4.
void add_layers(Rewrites& rules, const std::string& prefix, const std::string& pathway) {
  for (int layer = 1; layer <= 4; ++layer)
    rules.push_back({"^" + prefix + "layer" + number(layer) + "\\.(\\d+)\\.",
                     stage_name(layer + 1) + "." + pathway + "_res$1."});
}

Rewrites torchvision_2d() {
  Rewrites rules = {{"^conv1\\.", "s1.pathway0_stem.conv."}, {"^bn1\\.", "s1.pathway0_stem.bn."}};
  add_layers(rules, "", "pathway0");
  rules.insert(rules.end(), {{"(_res\\d+)\\.conv1\\.", "$1.branch2.a."},
                             {"(_res\\d+)\\.conv2\\.", "$1.branch2.b."},
                             {"(_res\\d+)\\.conv3\\.", "$1.branch2.c."},
                             {"(_res\\d+)\\.bn1\\.", "$1.branch2.a_bn."},
                             {"(_res\\d+)\\.bn2\\.", "$1.branch2.b_bn."},
                             {"(_res\\d+)\\.bn3\\.", "$1.branch2.c_bn."},
                             {"\\.downsample\\.0\\.", ".branch1."},
                             {"\\.downsample\\.1\\.", ".branch1_bn."},
                             {"^fc\\.", "head.projection."}});
  return rules;
}

// Each convolution stands beside its batch norm in a module of its own.
Rewrites mmaction2(bool two_pathways) {
  Rewrites rules;
  const std::vector<std::string> prefixes =
      two_pathways ? std::vector<std::string>{"backbone\\.slow_path\\.", "backbone\\.fast_path\\."}
                   : std::vector<std::string>{"backbone\\."};
  for (std::size_t p = 0; p < prefixes.size(); ++p) {
    const std::string pathway = std::string("pathway").append(std::to_string(p));
    rules.push_back({"^" + prefixes[p] + "conv1_lateral\\.conv\\.", "s1_fuse.conv_f2s."});
    for (int layer = 1; layer <= 3; ++layer)
      rules.push_back({"^" + prefixes[p] + "layer" + number(layer) + "_lateral\\.conv\\.",
                       stage_name(layer + 1) + "_fuse.conv_f2s."});
    rules.push_back({"^" + prefixes[p] + "conv1\\.", "s1." + pathway + "_stem."});
    add_layers(rules, prefixes[p], pathway);
  }
  rules.insert(rules.end(), {{"(_res\\d+)\\.conv1\\.conv\\.", "$1.branch2.a."},
                             {"(_res\\d+)\\.conv2\\.conv\\.", "$1.branch2.b."},
                             {"(_res\\d+)\\.conv3\\.conv\\.", "$1.branch2.c."},
                             {"(_res\\d+)\\.conv1\\.bn\\.", "$1.branch2.a_bn."},
                             {"(_res\\d+)\\.conv2\\.bn\\.", "$1.branch2.b_bn."},
                             {"(_res\\d+)\\.conv3\\.bn\\.", "$1.branch2.c_bn."},
                             {"\\.downsample\\.conv\\.", ".branch1."},
                             {"\\.downsample\\.bn\\.", ".branch1_bn."},
                             {"^cls_head\\.fc_cls\\.", "head.projection."}});
  return rules;
}

}  // namespace

std::vector<KeyMap> pathway_key_maps(const PathwayNames& names) {
  std::vector<KeyMap> maps = {{"pyslowfast", {}}};
  if (!names.mmaction2) maps.push_back({"pytorchvideo", pytorchvideo(names.two_pathways, names.pool_frames)});
  // A network of one pathway that keeps its frames is the same in both.
  if (names.mmaction2 || (!names.two_pathways && !names.pool_frames))
    maps.push_back({"mmaction2", mmaction2(names.two_pathways)});
  if (!names.two_pathways) maps.push_back({"torchvision-2d", torchvision_2d()});
  return maps;
}

}  // namespace kinema::blocks
