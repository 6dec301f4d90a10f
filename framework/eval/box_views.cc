#include "framework/eval/box_views.h"

#include <algorithm>
#include <functional>

namespace kinema::eval {

void BoxViews::add(const Target& target, std::span<const data::BatchBox> boxes,
                   std::span<const float> scores) {
  target_ = target;
  seen_.resize(target.boxes.size());
  if (boxes.empty()) return;
  classes_ = scores.size() / boxes.size();
  sums_.resize(seen_.size() * classes_);
  for (std::size_t row = 0; row < boxes.size(); ++row) {
    ++seen_[boxes[row].box];
    float* sum = sums_.data() + boxes[row].box * classes_;
    std::transform(sum, sum + classes_, scores.data() + row * classes_, sum, std::plus<>());
  }
}

void BoxViews::finish(std::vector<LabelledBox>& boxes, std::vector<float>& scores) const {
  for (std::size_t box = 0; box < seen_.size(); ++box) {
    if (seen_[box] == 0) continue;
    boxes.push_back(target_.boxes[box]);
    for (std::size_t c = 0; c < classes_; ++c)
      scores.push_back(sums_[box * classes_ + c] / static_cast<float>(seen_[box]));
  }
}

std::span<const LabelledBox> BoxViews::truth() const {
  return target_.truth ? *target_.truth : target_.boxes;
}

}  // namespace kinema::eval
