#include "inception_keys.h"

#include <string>
#include <utility>

namespace kinema::i3d {

namespace {

// torchvision's GoogLeNet, an Inception-v1 with batch norm over images, whose 5x5 branches are 3x3 as I3D's.
// Its auxiliary classifiers have no place here.
KeyMap googlenet() {
  KeyMap map{"torchvision-googlenet", {{"^aux[12]\\..*", ""}}};
  const auto add = [&map](std::string from, std::string to) {
    map.rewrites.emplace_back(std::move(from.append("\\.")), std::move(to.append(".")));
  };
  add("^conv1", "Conv3d_1a_7x7");
  add("^conv2", "Conv3d_2b_1x1");
  add("^conv3", "Conv3d_2c_3x3");
  for (const std::string block : {"3a", "3b", "4a", "4b", "4c", "4d", "4e", "5a", "5b"})
    add("^inception" + block, std::string("Mixed_") + block[0] + static_cast<char>(block[1] + 1));
  add("\\.branch1", ".b0");
  add("\\.branch2\\.0", ".b1a");
  add("\\.branch2\\.1", ".b1b");
  add("\\.branch3\\.0", ".b2a");
  add("\\.branch3\\.1", ".b2b");
  add("\\.branch4\\.1", ".b3b");
  map.rewrites.emplace_back("\\.conv\\.", ".conv3d.");
  map.rewrites.emplace_back("^fc\\.", "logits.conv3d.");
  return map;
}

}  // namespace

std::vector<KeyMap> inception_key_maps() {
  return {{"pytorch-i3d", {}},
          googlenet(),
          {"kinetics-i3d",
           {{"^(RGB|Flow)/", ""},
            {"^inception_i3d/", ""},
            {"/Branch_0/Conv3d_0a_1x1/", "/b0/"},
            {"/Branch_3/Conv3d_0b_1x1/", "/b3b/"},
            {"/Branch_([12])/Conv3d_0a_1x1/", "/b$1a/"},
            // The second convolution of Branch_2 of Mixed_5b is called 0a as well.
            {"/Branch_([12])/Conv3d_0[ab]_3x3/", "/b$1b/"},
            {"^Logits/Conv3d_0c_1x1/", "logits/"},
            {"/conv_3d/w$", "/conv3d/weight"},
            {"/conv_3d/b$", "/conv3d/bias"},
            {"/batch_norm/beta$", "/bn/bias"},
            {"/batch_norm/moving_mean$", "/bn/running_mean"},
            {"/batch_norm/moving_variance$", "/bn/running_var"},
            {"/", "."}},
           {{"\\.bn\\.weight$", 1}, {"\\.bn\\.num_batches_tracked$", 0}}}};
}

}  // namespace kinema::i3d
