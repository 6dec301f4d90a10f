#include "framework/eval/device_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <array>

#include "kinema/error.h"

namespace kinema::eval {
namespace {

at::Tensor copy_of(const std::vector<float>& values, at::IntArrayRef shape, const at::Device& device) {
  return at::from_blob(const_cast<float*>(values.data()), shape, at::kFloat).clone().to(device);
}

at::Tensor bytes_of(const data::Pixels& pixels, std::int64_t clips, std::int64_t frames, Size size) {
  return at::from_blob(pixels.get(), {clips, frames, size.height, size.width, 3}, at::kByte);
}

using Channels = std::array<float, 3>;

// [N, T, H, W, C] bytes seen as [N, C, T, H, W]: that is channels-last-3d memory already, nothing is
// transposed. Of three channels in memory the first `channels` mean something.
at::Tensor normalised(const at::Tensor& bytes, std::int64_t channels, const Channels& mean,
                      const Channels& std, const at::Device& device) {
  const auto each = [&](const Channels& values) {
    return at::tensor(at::ArrayRef<float>(values.data(), static_cast<std::size_t>(channels)), at::kFloat)
        .to(device);
  };
  at::Tensor values = bytes.narrow(4, 0, channels).to(device).to(at::kFloat);
  values.mul_(1.0 / 255.0).sub_(each(mean)).div_(each(std));
  return values.permute({0, 4, 1, 2, 3});
}

at::Tensor boxes_of(const data::Batch& batch, const at::Device& device) {
  std::vector<float> numbers;
  for (const data::BatchBox& box : batch.boxes)
    numbers.insert(numbers.end(), {static_cast<float>(box.clip), box.x1, box.y1, box.x2, box.y2});
  return copy_of(numbers, {std::ssize(batch.boxes), 5}, device);
}

// A row a box: its classes as 0s and 1s, and the weight of its item.
TargetBatch box_targets(const data::Batch& batch, const at::Device& device) {
  std::vector<float> values(batch.boxes.size() * static_cast<std::size_t>(batch.classes), 0.0F), weights;
  for (std::size_t b = 0; b < batch.boxes.size(); ++b) {
    for (const std::int64_t label : batch.boxes[b].classes)
      values[b * static_cast<std::size_t>(batch.classes) + static_cast<std::size_t>(label)] = 1;
    weights.push_back(batch.weights[static_cast<std::size_t>(batch.boxes[b].clip)]);
  }
  TargetBatch targets;
  targets.values = copy_of(values, {std::ssize(batch.boxes), batch.classes}, device);
  targets.weight = copy_of(weights, {std::ssize(batch.boxes)}, device);
  return targets;
}

TargetBatch clip_targets(const data::Batch& batch, const at::Device& device) {
  TargetBatch targets;
  targets.labels = at::from_blob(const_cast<std::int64_t*>(batch.labels.data()), {batch.clips}, at::kLong)
                       .clone()
                       .to(device);
  if (!batch.values.empty()) targets.values = copy_of(batch.values, {batch.clips, batch.classes}, device);
  targets.weight = copy_of(batch.weights, {batch.clips}, device);
  return targets;
}

}  // namespace

std::int64_t row_count(const data::Batch& batch) {
  return batch.detection ? std::ssize(batch.boxes) : batch.clips;
}

std::vector<Rows> rows_of_clips(const data::Batch& batch) {
  std::vector<Rows> rows;
  for (std::int64_t clip = 0; clip < batch.clips && !batch.detection; ++clip) rows.push_back({clip, 1});
  if (!batch.detection) return rows;
  rows.resize(static_cast<std::size_t>(batch.clips));
  for (const data::BatchBox& box : batch.boxes) ++rows[static_cast<std::size_t>(box.clip)].count;
  for (std::size_t clip = 1; clip < rows.size(); ++clip)
    rows[clip].first = rows[clip - 1].first + rows[clip - 1].count;
  return rows;
}

DeviceBatch one_clip(const DeviceBatch& batch, std::int64_t clip, const Rows& rows) {
  DeviceBatch one;
  for (const auto& [modality, clips] : batch.clips.clips)
    one.clips.clips[modality] = clips.narrow(0, clip, 1);
  const auto cut = [&rows](const at::Tensor& all) {
    return all.defined() ? all.narrow(0, rows.first, rows.count) : at::Tensor();
  };
  if (batch.clips.boxes.defined()) {
    one.clips.boxes = cut(batch.clips.boxes).clone();
    one.clips.boxes.select(1, 0).zero_();
  }
  one.targets.labels = cut(batch.targets.labels);
  one.targets.values = cut(batch.targets.values);
  one.targets.weight = cut(batch.targets.weight);
  return one;
}

void check_output(const Output& output, const data::Batch& batch) {
  const at::Tensor& logits = output.logits;
  const std::int64_t rows = row_count(batch);
  const bool fits = logits.defined() && logits.dim() == 2 && logits.size(0) == rows &&
                    (batch.classes == 0 || logits.size(1) == batch.classes);
  if (fits) return;
  throw Error(ErrorKind::plugin, "model",
              fmt::format("bad shape of logits: expected [{}, {}], got {}", rows,
                          batch.classes == 0 ? "classes" : std::to_string(batch.classes),
                          logits.defined() ? fmt::format("[{}]", fmt::join(logits.sizes(), ", ")) : "none"),
              batch.detection
                  ? "a model gives one row for each box and one column for each class of the data"
                  : "a model gives one row for each clip and one column for each class of the data");
}

DeviceBatch to_device(const data::Batch& batch, const at::Device& device) {
  DeviceBatch out;
  const at::Tensor bytes = bytes_of(batch.pixels, batch.clips, batch.frames, batch.size);
  out.clips.clips[batch.modality] = normalised(bytes, batch.channels, batch.mean, batch.std, device);
  for (const data::ExtraClips& extra : batch.extra)
    out.clips.clips[extra.modality] =
        normalised(bytes_of(extra.pixels, batch.clips, extra.frames, extra.size), extra.channels, extra.mean,
                   extra.std, device);
  if (batch.detection) out.clips.boxes = boxes_of(batch, device);
  out.targets = batch.detection ? box_targets(batch, device) : clip_targets(batch, device);
  return out;
}

}  // namespace kinema::eval
