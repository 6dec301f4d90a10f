#include "blocks/stage.h"

#include <string>

namespace kinema::blocks {

Stage& Stage::add(std::shared_ptr<Layer> block) {
  blocks_.push_back(child_of<Layer>(std::to_string(blocks_.size()), std::move(block)));
  return *this;
}

at::Tensor Stage::forward(const at::Tensor& x) {
  at::Tensor y = x;
  for (const Child<Layer>& inner : blocks_)
    y = block(
        *this, inner->name(), [&](const at::Tensor& in) { return inner(in); }, y);
  return y;
}

at::Tensor add_relu(const at::Tensor& branch, const at::Tensor& shortcut) {
  return branch.add(shortcut).relu_();
}

}  // namespace kinema::blocks
