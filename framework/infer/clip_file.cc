#include "framework/infer/clip_file.h"

#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <map>
#include <memory>

#include "framework/checkpoint/weights.h"
#include "framework/eval/device_batch.h"

namespace kinema::infer {
namespace {

std::map<std::string, std::string> facts_of(const data::ClipInfo& info) {
  const Geometry& g = info.geometry;
  return {{"key", info.key},
          {"frames", fmt::format("{}", fmt::join(info.frames, ","))},
          {"source", fmt::format("{},{},{},{}", g.source.x, g.source.y, g.source.width, g.source.height)},
          {"output", fmt::format("{},{}", g.output.width, g.output.height)},
          {"flip", g.flip ? "true" : "false"},
          {"label", std::to_string(info.target.label)},
          {"decoder_errors", std::to_string(info.decoder_errors)}};
}

at::Tensor as_tensor(const data::Pixels& bytes, std::int64_t frames, Size size, const data::ClipInfo& info,
                     ClipStage stage) {
  if (stage == ClipStage::decoded)
    return at::from_blob(bytes.get(), {frames, size.height, size.width, 3}, at::kByte).clone();
  data::Batch batch;
  batch.pixels = bytes;
  batch.clips = 1;
  batch.frames = frames;
  batch.size = size;
  batch.mean = info.mean;
  batch.std = info.std;
  batch.labels = {info.target.label};
  batch.weights = {info.weight};
  return eval::to_device(batch, at::kCPU).clips.clips.at(batch.modality).select(0, 0).contiguous();
}

}  // namespace

void write_clip(data::ClipReader& reader, const data::PlannedClip& clip, ClipStage stage,
                const std::string& output) {
  const data::PlannedSource& source = clip.sources.front();
  const Size size = stage == ClipStage::final ? source.plan.size() : source.frame;
  const auto frames = static_cast<std::int64_t>(source.plan.frames.size());
  const data::Pixels bytes(new std::uint8_t[static_cast<std::size_t>(frames) * size.height * size.width * 3],
                           std::default_delete<std::uint8_t[]>());
  data::ClipInfo info = data::clip_info(clip);
  const data::ReadFacts facts =
      stage == ClipStage::final ? reader.read(clip, 0, bytes.get()) : reader.read_whole(clip, 0, bytes.get());
  info.decoder_errors = facts.decoder_errors;
  checkpoint::save_weights(output, checkpoint::WeightsFormat::safetensors,
                           {{source.source.modality, as_tensor(bytes, frames, size, info, stage)}},
                           facts_of(info));
}

}  // namespace kinema::infer
