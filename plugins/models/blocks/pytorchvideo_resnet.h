#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blocks/pathway_head.h"
#include "blocks/pytorchvideo_block.h"
#include "kinema/model.h"
#include "kinema/options.h"

namespace kinema::blocks {

// Options that the two residual networks share.
struct PytorchvideoResnetOptions {
  std::int64_t depth = 50;
  std::vector<std::int64_t> blocks;  // of each of the four stages; empty: what depth says
  std::int64_t width = 64;           // channels of the stem; the stages give 4, 8, 16 and 32 times as many
  bool zero_init_last_norm = true;
  std::vector<std::int64_t> head_pool = {4, 7, 7};
  double dropout = 0;
  std::string modality = "rgb";
};

struct PytorchvideoResnetPlan {
  PytorchvideoResnetOptions options;
  Extent<3> stem_kernel = 1;
  bool stem_pool = false;  // max pool 1x3x3 behind the stem
  MiddleConvolution middle = MiddleConvolution::depthwise;
  std::array<Extent<3>, 4> strides;          // of each stage
  std::optional<HeadActivation> activation;  // of each position, before their mean is taken
};

// Residual networks of bottlenecks under PyTorchVideo's own parameter names, `blocks.<n>`: 0 is the stem, 1
// to 4 the stages, 5 the head, which averages windows of `head_pool` (a smaller map: all of it), classifies
// each and takes the mean. With an activation, extra["probabilities"] in eval mode is the mean of the
// positions' activations. Initialisation is PyTorchVideo's.
std::shared_ptr<Model> make_pytorchvideo_resnet(const PytorchvideoResnetPlan& plan, std::int64_t classes);

// What is wrong with the options as a whole.
std::vector<std::string> problems_of(const PytorchvideoResnetOptions& options);

// Adds the shared options to those of a plugin; O is derived from PytorchvideoResnetOptions.
template <class O>
Options<O>& add_pytorchvideo_options(Options<O>& options) {
  using R = PytorchvideoResnetOptions;
  const auto own = []<class M>(M R::*member) -> M O::* { return member; };
  return options.add("depth", own(&R::depth), "number of layers", one_of(50, 101, 152))
      .add("blocks", own(&R::blocks), "residual blocks of each of the four stages, instead of those of depth",
           each(at_least(1)))
      .add("width", own(&R::width), "channels of the stem; the stages give 4, 8, 16 and 32 times as many",
           at_least(1))
      .add("zero_init_last_norm", own(&R::zero_init_last_norm),
           "residual blocks begin as identity: the last batch norm of each starts at 0")
      .add("head_pool", own(&R::head_pool),
           "frames, rows and columns of the last map that are averaged and classified together; the map of a "
           "larger clip is classified at several places, that of a smaller one as a whole",
           length(3), each(at_least(1)))
      .add("dropout", own(&R::dropout), "probability before the classifier", between(0, 1))
      .add("modality", own(&R::modality), "which clip of the batch it reads", one_of("rgb", "flow"))
      .check([](const O& o) { return problems_of(o); });
}

}  // namespace kinema::blocks
