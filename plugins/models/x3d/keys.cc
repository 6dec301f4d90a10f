#include "keys.h"

namespace kinema::x3d {
namespace {

// What a batch norm divides by is the root of its variance and its epsilon, 1e-5: this one is the identity.
std::vector<std::pair<std::string, double>> identity_norm(const std::string& pattern) {
  return {{pattern + "\\.weight$", 1},
          {pattern + "\\.bias$", 0},
          {pattern + "\\.running_mean$", 0},
          {pattern + "\\.running_var$", 1 - 1e-5},
          {pattern + "\\.num_batches_tracked$", 0}};
}

KeyMap pytorchvideo(const std::vector<std::string>& bare_shortcuts) {
  KeyMap map{.name = "pytorchvideo",
             .rewrites = {{"^model\\.", ""},
                          // PyTorchVideo calls the stem's convolution over space conv_t.
                          {"^blocks\\.0\\.conv\\.conv_t\\.", "s1.pathway0_stem.conv_xy."},
                          {"^blocks\\.0\\.conv\\.conv_xy\\.", "s1.pathway0_stem.conv."},
                          {"^blocks\\.0\\.norm\\.", "s1.pathway0_stem.bn."},
                          {"^blocks\\.1\\.res_blocks\\.(\\d+)\\.", "s2.pathway0_res$1."},
                          {"^blocks\\.2\\.res_blocks\\.(\\d+)\\.", "s3.pathway0_res$1."},
                          {"^blocks\\.3\\.res_blocks\\.(\\d+)\\.", "s4.pathway0_res$1."},
                          {"^blocks\\.4\\.res_blocks\\.(\\d+)\\.", "s5.pathway0_res$1."},
                          {"\\.branch1_conv\\.", ".branch1."},
                          {"\\.branch1_norm\\.", ".branch1_bn."},
                          {"\\.branch2\\.conv_([abc])\\.", ".branch2.$1."},
                          {"\\.branch2\\.norm_([ac])\\.", ".branch2.$1_bn."},
                          {"\\.branch2\\.norm_b\\.0\\.", ".branch2.b_bn."},
                          {"\\.branch2\\.norm_b\\.1\\.block\\.0\\.", ".branch2.se.fc1."},
                          {"\\.branch2\\.norm_b\\.1\\.block\\.2\\.", ".branch2.se.fc2."},
                          {"^blocks\\.5\\.pool\\.pre_conv\\.", "head.conv_5."},
                          {"^blocks\\.5\\.pool\\.pre_norm\\.", "head.conv_5_bn."},
                          {"^blocks\\.5\\.pool\\.post_conv\\.", "head.lin_5."},
                          {"^blocks\\.5\\.pool\\.post_norm\\.", "head.lin_5_bn."},
                          {"^blocks\\.5\\.proj\\.", "head.projection."}},
             .constants = {}};
  for (const std::string& block : bare_shortcuts) {
    std::string pattern = "^";
    for (const char c : block) pattern.append(c == '.' ? "\\." : std::string(1, c));
    const auto norm = identity_norm(pattern + "\\.branch1_bn");
    map.constants.insert(map.constants.end(), norm.begin(), norm.end());
  }
  return map;
}

}  // namespace

std::vector<KeyMap> key_maps(const std::vector<std::string>& bare_shortcuts) {
  return {{"pyslowfast", {}}, pytorchvideo(bare_shortcuts)};
}

}  // namespace kinema::x3d
