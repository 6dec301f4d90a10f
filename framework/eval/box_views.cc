#include "framework/eval/box_views.h"

#include "framework/eval/view_scores.h"

namespace kinema::eval {

void BoxViews::add(const Target& target, std::span<const data::BatchBox> boxes, std::span<const float> scores,
                   config::ViewMerge merge) {
  target_ = target;
  seen_.resize(target.boxes.size());
  scores_.resize(target.boxes.size());
  const std::size_t classes = boxes.empty() ? 0 : scores.size() / boxes.size();
  for (std::size_t row = 0; row < boxes.size(); ++row) {
    ++seen_[boxes[row].box];
    add_view(scores_[boxes[row].box], scores.subspan(row * classes, classes), merge);
  }
}

void BoxViews::finish(std::vector<LabelledBox>& boxes, std::vector<float>& scores,
                      config::ViewMerge merge) const {
  for (std::size_t box = 0; box < seen_.size(); ++box) {
    if (seen_[box] == 0) continue;
    std::vector<float> own = scores_[box];
    finish_views(own, seen_[box], merge);
    boxes.push_back(target_.boxes[box]);
    scores.insert(scores.end(), own.begin(), own.end());
  }
}

std::span<const LabelledBox> BoxViews::truth() const {
  return target_.truth ? *target_.truth : target_.boxes;
}

}  // namespace kinema::eval
