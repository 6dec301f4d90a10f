#include "framework/detection/frame_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kinema::detection {
namespace {

constexpr std::size_t kOfficialRows = 50;  // of a frame

struct Judged {
  double score;
  bool hit;
};

double area(const ScoredBox& box) { return (box.x2 - box.x1) * (box.y2 - box.y1); }

double overlap(const ScoredBox& a, const ScoredBox& b) {
  const double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (width <= 0 || height <= 0) return 0;
  const double both = width * height;
  return both / (area(a) + area(b) - both);
}

std::vector<ScoredBox> of_class(const std::vector<ScoredBox>& boxes, std::int64_t action) {
  std::vector<ScoredBox> out;
  std::copy_if(boxes.begin(), boxes.end(), std::back_inserter(out),
               [action](const ScoredBox& box) { return box.action == action; });
  return out;
}

bool is_box(const ScoredBox& box) { return box.x1 < box.x2 && box.y1 < box.y2; }

// The detections of a frame that count, in the order in which they take ground truth boxes.
std::vector<ScoredBox> ordered(std::vector<ScoredBox> boxes, MapRule rule) {
  if (rule == MapRule::official) {
    std::stable_sort(boxes.begin(), boxes.end(),
                     [](const ScoredBox& a, const ScoredBox& b) { return a.score > b.score; });
    if (boxes.size() > kOfficialRows) boxes.resize(kOfficialRows);
  }
  std::erase_if(boxes, [](const ScoredBox& box) { return !is_box(box); });
  return boxes;
}

// Both of one class.
void judge(const std::vector<ScoredBox>& truth, const std::vector<ScoredBox>& found, double iou,
           std::vector<Judged>& out) {
  std::vector<bool> taken(truth.size(), false);
  for (const ScoredBox& box : found) {
    std::size_t best = 0;
    double most = 0;
    for (std::size_t i = 0; i < truth.size(); ++i)
      if (const double o = overlap(box, truth[i]); o > most) {
        most = o;
        best = i;
      }
    const bool hit = most >= iou && !taken[best];
    if (hit) taken[best] = true;
    out.push_back({box.score, hit});
  }
}

double average_precision(std::vector<Judged> all, std::int64_t positives) {
  if (positives == 0) return std::numeric_limits<double>::quiet_NaN();
  std::reverse(all.begin(), all.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Judged& a, const Judged& b) { return a.score > b.score; });
  std::vector<double> precision;
  double hits = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    hits += all[i].hit;
    precision.push_back(hits / static_cast<double>(i + 1));
  }
  for (std::size_t i = all.size(); i-- > 1;) precision[i - 1] = std::max(precision[i - 1], precision[i]);
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) sum += all[i].hit ? precision[i] : 0;
  return sum / static_cast<double>(positives);
}

struct Frame {
  const std::vector<ScoredBox>* truth;
  std::vector<ScoredBox> found;
};

std::vector<Frame> frames_of(const BoxTable& truth, const BoxTable& detections, const FrameMapOptions& o) {
  static const std::vector<ScoredBox> kNone;
  std::vector<Frame> frames;
  const auto found_at = [&](const FrameKey& key) {
    const auto found = detections.find(key);
    return found == detections.end() ? std::vector<ScoredBox>() : ordered(found->second, o.rule);
  };
  for (const auto& [key, boxes] : truth)
    if (!o.excluded.contains(key)) frames.push_back({&boxes, found_at(key)});
  if (o.rule == MapRule::slowfast)
    for (const auto& [key, boxes] : detections)
      if (!truth.contains(key) && !o.excluded.contains(key)) frames.push_back({&kNone, found_at(key)});
  return frames;
}

}  // namespace

FrameMap frame_map(const BoxTable& truth, const BoxTable& detections,
                   const std::vector<std::int64_t>& classes, const FrameMapOptions& options) {
  const std::vector<Frame> frames = frames_of(truth, detections, options);
  FrameMap result;
  for (const auto& [key, boxes] : truth) result.excluded_frames += options.excluded.contains(key);
  result.frames = static_cast<std::int64_t>(truth.size()) - result.excluded_frames;
  double sum = 0, present = 0;
  for (const std::int64_t action : classes) {
    std::vector<Judged> judged;
    std::int64_t positives = 0;
    for (const Frame& frame : frames) {
      const std::vector<ScoredBox> wanted = of_class(*frame.truth, action);
      positives += static_cast<std::int64_t>(wanted.size());
      judge(wanted, of_class(frame.found, action), options.iou, judged);
    }
    const double precision = average_precision(std::move(judged), positives);
    result.average_precision[action] = precision;
    if (std::isnan(precision)) continue;
    sum += precision;
    present += 1;
  }
  result.mean = present > 0 ? sum / present : std::numeric_limits<double>::quiet_NaN();
  return result;
}

}  // namespace kinema::detection
