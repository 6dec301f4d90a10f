#include "framework/weights/inflate.h"

#include <ATen/ops/zeros.h>

namespace kinema::weights {

bool inflates(at::IntArrayRef image, at::IntArrayRef clip) {
  return image.size() == 4 && clip.size() == 5 && image.slice(0, 2).equals(clip.slice(0, 2)) &&
         image.slice(2).equals(clip.slice(3));
}

at::Tensor inflate(const at::Tensor& image, std::int64_t frames, Inflation inflation) {
  std::vector<std::int64_t> shape = image.sizes().vec();
  shape.insert(shape.begin() + 2, frames);
  if (inflation == Inflation::mean)
    return image.div(static_cast<double>(frames)).unsqueeze(2).expand(shape).contiguous();
  at::Tensor clip = at::zeros(shape, image.options());
  clip.select(2, frames / 2).copy_(image);
  return clip;
}

}  // namespace kinema::weights
