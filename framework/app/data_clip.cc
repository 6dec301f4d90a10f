#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <memory>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/session.h"
#include "framework/app/tensor_file.h"
#include "framework/data/clip_source.h"
#include "framework/data/recipe.h"
#include "framework/eval/device_batch.h"
#include "framework/train/assembly.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

data::ClipRequest request_of(const DataClipArguments& arguments, const config::Experiment& experiment) {
  data::ClipRequest request{static_cast<std::size_t>(arguments.index),
                            static_cast<std::uint64_t>(arguments.epoch), arguments.view, 0};
  if (arguments.split == "val") {
    request.temporal_view = arguments.view / experiment.eval_clip.spatial_crops;
    request.spatial_view = arguments.view % experiment.eval_clip.spatial_crops;
  }
  return request;
}

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

// uint8 [T, H, W, 3] as it was decoded, or float [3, T, H, W] on the trainer's own way from bytes to values.
at::Tensor as_tensor(const data::Pixels& bytes, std::int64_t frames, Size size, const data::ClipInfo& info,
                     bool final_stage) {
  if (!final_stage)
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

// Which views there are of an item: of a training video as many as it is drawn in an epoch.
void check_request(const DataClipArguments& arguments, const config::Experiment& experiment, bool training) {
  if (!training && !experiment.eval_data)
    throw Error(ErrorKind::usage, "data.val",
                "missing section: expected a data set for --split val, got none");
  const std::int64_t views =
      training ? experiment.train_clip.clips_per_video : data::views_per_item(experiment.eval_clip);
  if (arguments.view >= views)
    throw Error(ErrorKind::usage, "command line",
                fmt::format("no such view: expected --view below {}, got {}", views, arguments.view));
}

}  // namespace

int data_clip(const DataClipArguments& arguments) {
  const Session session = open_session(arguments.experiment);
  const eval::Workshop workshop{session.experiment, *session.registry, {}, console_lines()};
  const bool training = arguments.split == "train";
  check_request(arguments, session.experiment, training);
  const auto& section = training ? session.experiment.train_data : session.experiment.eval_data;
  const auto dataset = workshop.make<Dataset>(section, "data." + arguments.split);
  if (static_cast<std::size_t>(arguments.index) >= dataset->size())
    throw Error(
        ErrorKind::usage, "command line",
        fmt::format("no such item: expected --index below {}, got {}", dataset->size(), arguments.index));
  const auto maker = eval::transform_maker(workshop);
  const auto recipe = std::make_shared<const data::ClipRecipe>(
      training ? data::train_recipe(session.experiment, dataset, maker)
               : data::eval_recipe(session.experiment, dataset, maker));
  data::ClipReader reader(recipe);
  const data::PlannedClip clip = reader.plan(request_of(arguments, session.experiment), arguments.index);
  const data::PlannedSource& source = clip.sources.front();
  const bool final_stage = arguments.stage == "final";
  const Size size = final_stage ? source.plan.size() : source.frame;
  const auto frames = static_cast<std::int64_t>(source.plan.frames.size());
  const data::Pixels bytes(new std::uint8_t[static_cast<std::size_t>(frames) * size.height * size.width * 3],
                           std::default_delete<std::uint8_t[]>());
  data::ClipInfo info = data::clip_info(clip);
  const data::ReadFacts facts =
      final_stage ? reader.read(clip, 0, bytes.get()) : reader.read_whole(clip, 0, bytes.get());
  info.decoder_errors = facts.decoder_errors;
  const at::Tensor tensor = as_tensor(bytes, frames, size, info, final_stage);
  write_tensors(arguments.output, {{source.source.modality, tensor}}, facts_of(info));
  note(fmt::format("{}: frames {} in {}", info.key, fmt::join(info.frames, " "), arguments.output));
  return 0;
}

}  // namespace kinema::app
