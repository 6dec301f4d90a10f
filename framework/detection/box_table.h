#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kinema::detection {

// A key frame: a video's name and a second of it.
using FrameKey = std::pair<std::string, std::int64_t>;

// A box in fractions of the frame, with one class.
struct ScoredBox {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  std::int64_t action = 0;  // id of the label map
  double score = 1;         // of a detection
};

// In the order of the file.
using BoxTable = std::map<FrameKey, std::vector<ScoredBox>>;

enum class BoxScore { none, last_field };

// AVA's csv: `video,second,x1,y1,x2,y2,action,last`, where `last` is a person's number in ground truth and
// the score of a detection. Rows without an action name a box and no class and are left out, as are actions
// that `known` has not (when it is not empty). Throws Error(data) with file:line of every bad row.
BoxTable read_boxes(const std::filesystem::path& file, const std::set<std::int64_t>& known, BoxScore score);

// The same with scores, as read_boxes() takes it: numbers as short as they read back equal.
std::string detections_csv(const BoxTable& detections);

// `video,second` rows: frames that are left out.
std::set<FrameKey> read_frames(const std::filesystem::path& file);

}  // namespace kinema::detection
