#include "framework/infer/clip_file.h"

#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <map>
#include <memory>

#include "framework/checkpoint/weights.h"
#include "framework/eval/device_batch.h"

namespace kinema::infer {
namespace {

using Facts = std::map<std::string, std::string>;

Facts facts_of(const data::ClipInfo& info) {
  return {{"key", info.key},
          {"label", std::to_string(info.target.label)},
          {"decoder_errors", std::to_string(info.decoder_errors)}};
}

// Of the first source without a prefix; of the others behind the name of their modality.
void add_plan(const ClipPlan& plan, const std::string& prefix, Facts& facts) {
  const Geometry& g = plan.geometry;
  facts[prefix + "frames"] = fmt::format("{}", fmt::join(plan.frames, ","));
  facts[prefix + "source"] =
      fmt::format("{},{},{},{}", g.source.x, g.source.y, g.source.width, g.source.height);
  facts[prefix + "output"] = fmt::format("{},{}", g.output.width, g.output.height);
  facts[prefix + "flip"] = g.flip ? "true" : "false";
}

at::Tensor as_tensor(const data::Pixels& bytes, const data::PlannedSource& source, ClipStage stage) {
  const auto frames = static_cast<std::int64_t>(source.plan.frames.size());
  if (stage == ClipStage::decoded)
    return at::from_blob(bytes.get(), {frames, source.frame.height, source.frame.width, 3}, at::kByte)
        .narrow(3, 0, source.channels)
        .clone(at::MemoryFormat::Contiguous);
  data::Batch batch;
  batch.pixels = bytes;
  batch.clips = 1;
  batch.frames = frames;
  batch.size = source.plan.size();
  batch.channels = source.channels;
  batch.mean = source.plan.mean;
  batch.std = source.plan.std;
  batch.labels = {-1};
  batch.weights = {1};
  return eval::to_device(batch, at::kCPU).clips.clips.at(batch.modality).select(0, 0).contiguous();
}

}  // namespace

void write_clip(data::ClipReader& reader, const data::PlannedClip& clip, ClipStage stage,
                const std::string& output) {
  std::vector<NamedTensor> tensors;
  Facts plans;
  data::ClipInfo info = data::clip_info(clip);
  for (std::size_t s = 0; s < clip.sources.size(); ++s) {
    const data::PlannedSource& source = clip.sources[s];
    const Size size = stage == ClipStage::final ? source.plan.size() : source.frame;
    const data::Pixels bytes(
        new std::uint8_t[source.plan.frames.size() * static_cast<std::size_t>(size.height) * size.width * 3],
        std::default_delete<std::uint8_t[]>());
    const data::ReadFacts facts = stage == ClipStage::final ? reader.read(clip, s, bytes.get())
                                                            : reader.read_whole(clip, s, bytes.get());
    info.decoder_errors += facts.decoder_errors;
    tensors.push_back({source.source.modality, as_tensor(bytes, source, stage)});
    add_plan(source.plan, s == 0 ? "" : source.source.modality + ".", plans);
  }
  Facts facts = facts_of(info);
  facts.merge(plans);
  checkpoint::save_weights(output, checkpoint::WeightsFormat::safetensors, std::move(tensors), facts);
}

}  // namespace kinema::infer
