#include "kinema/layers.h"

namespace kinema {

Sequential::Sequential() = default;

Sequential::Sequential(std::initializer_list<std::shared_ptr<Layer>> layers) {
  for (const std::shared_ptr<Layer>& layer : layers) add(layer);
}

Sequential& Sequential::add(std::shared_ptr<Layer> layer, std::string name) {
  if (name.empty()) name = std::to_string(layers_.size());
  layers_.push_back(child_of<Layer>(std::move(name), std::move(layer)));
  return *this;
}

at::Tensor Sequential::forward(const at::Tensor& x) {
  at::Tensor y = x;
  for (const Child<Layer>& layer : layers_) y = layer(y);
  return y;
}

}  // namespace kinema
