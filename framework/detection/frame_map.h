#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "framework/detection/box_table.h"

namespace kinema::detection {

// Whose evaluation: they differ in the order of a frame's detections (by score; as in the file), in how many
// count (the 50 best; all) and in frames without ground truth (ignored; false positives).
enum class MapRule { official, slowfast };

struct FrameMapOptions {
  MapRule rule = MapRule::official;
  double iou = 0.5;
  std::set<FrameKey> excluded;  // left out of both sides
};

struct FrameMap {
  double mean = 0;  // over the classes that have ground truth; NaN without any
  std::map<std::int64_t, double> average_precision;  // of each class asked for; NaN without ground truth
  std::int64_t frames = 0, excluded_frames = 0;      // of the ground truth
};

// AVA's frame mAP (Gu et al. 2018). A detection is compared with the ground truth box of its class that it
// overlaps most: a hit when that overlap is at least `iou` and the box is not taken yet. The average
// precision is the area under the precision made monotone. Of equal scores the one that came later counts
// first.
FrameMap frame_map(const BoxTable& truth, const BoxTable& detections,
                   const std::vector<std::int64_t>& classes, const FrameMapOptions& options);

}  // namespace kinema::detection
