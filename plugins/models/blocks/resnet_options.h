#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blocks/pathway_head.h"
#include "kinema/options.h"

namespace kinema::blocks {

enum class NonLocalKind { none, softmax, dot_product };

// Options that the residual networks of PySlowFast share, whatever their pathways.
struct ResnetOptions {
  std::int64_t depth = 50;
  std::vector<std::int64_t> blocks;  // of each of the four stages; empty: what depth says
  std::int64_t width = 64;           // channels of the stem; the stages give 4, 8, 16 and 32 times as many
  NonLocalKind nonlocal = NonLocalKind::none;
  std::vector<std::vector<std::int64_t>> nonlocal_blocks;  // of each stage; empty: the published places
  std::vector<std::int64_t> nonlocal_pool = {1, 2, 2};
  bool zero_init_last_norm = true;
  bool detection = false;
  double dropout = 0.5;
  std::int64_t crop = 224;
  HeadActivation activation = HeadActivation::softmax;
  std::string modality = "rgb";
};

// Residual blocks of each of the four stages.
std::vector<std::int64_t> blocks_per_stage(const ResnetOptions& options);

// What is wrong with the options as a whole.
std::vector<std::string> problems_of(const ResnetOptions& options);

// Adds the shared options to those of a plugin; O is derived from ResnetOptions.
template <class O>
Options<O>& add_resnet_options(Options<O>& options) {
  using R = ResnetOptions;
  const auto own = []<class M>(M R::*member) -> M O::* { return member; };
  return options.add("depth", own(&R::depth), "number of layers", one_of(50, 101))
      .add("blocks", own(&R::blocks), "residual blocks of each of the four stages; overrides depth",
           each(at_least(1)))
      .add("width", own(&R::width), "channels of the stem; the stages give 4, 8, 16 and 32 times as many",
           at_least(1))
      .add_enum("nonlocal", own(&R::nonlocal), "non-local blocks and how they weigh positions",
                {{"none", NonLocalKind::none},
                 {"softmax", NonLocalKind::softmax},
                 {"dot_product", NonLocalKind::dot_product}})
      .add("nonlocal_blocks", own(&R::nonlocal_blocks),
           "residual blocks of each stage, from 0, that a non-local block follows; empty: the published "
           "places",
           each(each(at_least(0))))
      .add("nonlocal_pool", own(&R::nonlocal_pool),
           "max pool (frames, height, width) of what a non-local block looks at", length(3),
           each(at_least(1)))
      .add("zero_init_last_norm", own(&R::zero_init_last_norm),
           "residual blocks begin as identity: the last batch norm of each starts at 0")
      .add("detection", own(&R::detection),
           "classes of boxes instead of clips; the last stage keeps its size")
      .add("dropout", own(&R::dropout), "probability before the classifier", between(0, 1))
      .add("crop", own(&R::crop),
           "side of the training clips in pixels; larger clips are classified at several places and the "
           "probabilities averaged",
           at_least(32))
      .add_enum("activation", own(&R::activation), "from logits to probabilities in eval mode",
                {{"softmax", HeadActivation::softmax}, {"sigmoid", HeadActivation::sigmoid}})
      .add("modality", own(&R::modality), "which clip of the batch it reads", one_of("rgb", "flow"));
}

}  // namespace kinema::blocks
