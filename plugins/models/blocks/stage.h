#pragma once

#include <memory>
#include <vector>

#include "kinema/layers.h"

namespace kinema::blocks {

// Residual blocks in a row, named "0", "1", ... Each is a block() of the run context: the unit of activation
// checkpointing.
class Stage : public Layer {
 public:
  Stage& add(std::shared_ptr<Layer> block);
  std::size_t size() const noexcept { return blocks_.size(); }

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  std::vector<Child<Layer>> blocks_;
};

// relu(branch + shortcut). Overwrites neither: what a tap or a replaced layer keeps stays as it was.
at::Tensor add_relu(const at::Tensor& branch, const at::Tensor& shortcut);

}  // namespace kinema::blocks
