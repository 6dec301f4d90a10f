#include "inception_keys.h"

namespace kinema::i3d {

std::vector<KeyMap> inception_key_maps() {
  return {{"pytorch-i3d", {}},
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
