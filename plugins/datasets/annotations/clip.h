#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kinema/dataset.h"

namespace kinema::annotations {

// One item of a list.
struct Clip {
  std::string path;                  // relative to the root: a video, or a folder of pictures
  std::string pictures;              // their names in that folder, "img_%05d.jpg"; empty: `path` is a video
  std::int64_t first_number = 1;     // of the pictures
  bool first_given = false;          // by the annotations: a part of the pictures may be meant
  double fps = 0;                    // of the pictures; 0: the list's
  std::int64_t label = -1;           // one class; -1: none
  std::vector<std::int64_t> labels;  // of a list with several labels an item
  std::vector<TimedLabel> timed;
  std::vector<LabelledBox> boxes;
  Span span;
  float weight = 1;
  std::string key;   // empty: the path
  std::string flow;  // folder of its optical flow, relative to the flow's root; empty: none
  std::int64_t flow_first_number = 1;
};

}  // namespace kinema::annotations
