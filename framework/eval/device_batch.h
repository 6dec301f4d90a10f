#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "framework/data/batch.h"
#include "kinema/loss.h"
#include "kinema/model.h"

namespace kinema::eval {

// A batch on the compute device, as models and losses take it.
struct DeviceBatch {
  ClipBatch clips;  // float32 [N, C, T, H, W] in channels-last-3d memory, (byte / 255 - mean) / std; C is 3,
                    // of optical flow 2
  TargetBatch targets;
};

// Consecutive rows of what the model gives for a batch.
struct Rows {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
// Those of each clip: one, or its boxes.
std::vector<Rows> rows_of_clips(const data::Batch& batch);

// The part of a batch that is one clip, as a batch of its own that shares its memory.
DeviceBatch one_clip(const DeviceBatch& batch, std::int64_t clip, const Rows& rows);

// Rows that the model gives for it: clips, or boxes.
std::int64_t row_count(const data::Batch& batch);

// Throws Error(plugin) unless the model gave [clips, classes] for it ([boxes, classes] in detection). The
// host's look at shapes costs nothing on a GPU, and with the labels that the loader has checked no loss can
// meet a label that the model has no output for.
void check_output(const Output& output, const data::Batch& batch);

// Copies the bytes to the device and normalises there. The result shares nothing with `batch`.
DeviceBatch to_device(const data::Batch& batch, const at::Device& device);

}  // namespace kinema::eval
