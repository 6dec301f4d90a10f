#include "framework/eval/device_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>

namespace kinema::eval {
namespace {

at::Tensor copy_of(const std::vector<float>& values, at::IntArrayRef shape, const at::Device& device) {
  return at::from_blob(const_cast<float*>(values.data()), shape, at::kFloat).clone().to(device);
}

at::Tensor normalised(const data::Batch& batch, const at::Device& device) {
  // [N, T, H, W, C] bytes seen as [N, C, T, H, W]: that is channels-last-3d memory already, no transposition
  // needed.
  at::Tensor bytes = at::from_blob(
      batch.pixels.get(), {batch.clips, batch.frames, batch.size.height, batch.size.width, 3}, at::kByte);
  at::Tensor values = bytes.to(device).to(at::kFloat);
  const at::Tensor mean = at::tensor(at::ArrayRef<float>(batch.mean), at::kFloat).to(device);
  const at::Tensor std = at::tensor(at::ArrayRef<float>(batch.std), at::kFloat).to(device);
  values.mul_(1.0 / 255.0).sub_(mean).div_(std);
  return values.permute({0, 4, 1, 2, 3});
}

}  // namespace

DeviceBatch to_device(const data::Batch& batch, const at::Device& device) {
  DeviceBatch out;
  out.clips.clips["rgb"] = normalised(batch, device);
  out.targets.labels = at::from_blob(const_cast<std::int64_t*>(batch.labels.data()), {batch.clips}, at::kLong)
                           .clone()
                           .to(device);
  if (!batch.values.empty()) out.targets.values = copy_of(batch.values, {batch.clips, batch.classes}, device);
  out.targets.weight = copy_of(batch.weights, {batch.clips}, device);
  return out;
}

}  // namespace kinema::eval
