#include "framework/eval/device_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "kinema/error.h"

namespace kinema::eval {
namespace {

at::Tensor copy_of(const std::vector<float>& values, at::IntArrayRef shape, const at::Device& device) {
  return at::from_blob(const_cast<float*>(values.data()), shape, at::kFloat).clone().to(device);
}

at::Tensor bytes_of(const data::Pixels& pixels, std::int64_t clips, std::int64_t frames, Size size) {
  return at::from_blob(pixels.get(), {clips, frames, size.height, size.width, 3}, at::kByte);
}

// [N, T, H, W, C] bytes seen as [N, C, T, H, W]: that is channels-last-3d memory already, nothing is
// transposed.
at::Tensor normalised(const at::Tensor& bytes, const data::Batch& batch, const at::Device& device) {
  at::Tensor values = bytes.to(device).to(at::kFloat);
  const at::Tensor mean = at::tensor(at::ArrayRef<float>(batch.mean), at::kFloat).to(device);
  const at::Tensor std = at::tensor(at::ArrayRef<float>(batch.std), at::kFloat).to(device);
  values.mul_(1.0 / 255.0).sub_(mean).div_(std);
  return values.permute({0, 4, 1, 2, 3});
}

}  // namespace

void check_output(const Output& output, const data::Batch& batch) {
  const at::Tensor& logits = output.logits;
  const std::int64_t rows = batch.boxes.empty() ? batch.clips : std::ssize(batch.boxes);
  const bool fits = logits.defined() && logits.dim() == 2 && logits.size(0) == rows &&
                    (batch.classes == 0 || logits.size(1) == batch.classes);
  if (fits) return;
  throw Error(ErrorKind::plugin, "model",
              fmt::format("bad shape of logits: expected [{}, {}], got {}", rows,
                          batch.classes == 0 ? "classes" : std::to_string(batch.classes),
                          logits.defined() ? fmt::format("[{}]", fmt::join(logits.sizes(), ", ")) : "none"),
              "a model gives one row for each clip and one column for each class of the data");
}

DeviceBatch to_device(const data::Batch& batch, const at::Device& device) {
  DeviceBatch out;
  const at::Tensor bytes = bytes_of(batch.pixels, batch.clips, batch.frames, batch.size);
  out.clips.clips[batch.modality] = normalised(bytes, batch, device);
  for (const data::ExtraClips& extra : batch.extra)
    out.clips.clips[extra.modality] =
        normalised(bytes_of(extra.pixels, batch.clips, extra.frames, extra.size), batch, device);
  out.targets.labels = at::from_blob(const_cast<std::int64_t*>(batch.labels.data()), {batch.clips}, at::kLong)
                           .clone()
                           .to(device);
  if (!batch.values.empty()) out.targets.values = copy_of(batch.values, {batch.clips, batch.classes}, device);
  out.targets.weight = copy_of(batch.weights, {batch.clips}, device);
  return out;
}

}  // namespace kinema::eval
