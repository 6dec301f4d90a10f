#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/config/experiment.h"
#include "framework/data/batch.h"

namespace kinema::eval {

// The boxes of one item and their scores, over the item's views. A view that cut a box away says nothing
// about it.
class BoxViews {
 public:
  // One view: its boxes, and their scores [boxes, classes].
  void add(const Target& target, std::span<const data::BatchBox> boxes, std::span<const float> scores,
           config::ViewMerge merge = config::ViewMerge::mean);
  // The boxes that some view showed, in the item's order, and their scores put together [boxes, classes].
  void finish(std::vector<LabelledBox>& boxes, std::vector<float>& scores,
              config::ViewMerge merge = config::ViewMerge::mean) const;
  // What the scores are measured against.
  std::span<const LabelledBox> truth() const;

 private:
  Target target_;
  std::vector<std::int64_t> seen_;          // of each box of the item
  std::vector<std::vector<float>> scores_;  // of each box of the item, its views so far
};

}  // namespace kinema::eval
