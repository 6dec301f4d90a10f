#include <fmt/format.h>

#include <memory>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/session.h"
#include "framework/data/clip_source.h"
#include "framework/data/recipe.h"
#include "framework/eval/assembly.h"
#include "framework/infer/clip_file.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

data::ClipRequest request_of(const DataClipArguments& arguments, const config::Experiment& experiment) {
  data::ClipRequest request{static_cast<std::size_t>(arguments.index),
                            static_cast<std::uint64_t>(arguments.epoch), arguments.view, 0};
  if (arguments.split == "val") {
    request.temporal_view = arguments.view / experiment.eval_clip.spatial_crops;
    request.spatial_view = arguments.view % experiment.eval_clip.spatial_crops;
  } else {
    request.temporal_view = arguments.view / experiment.loader.repeated;
    request.again = arguments.view % experiment.loader.repeated;
  }
  return request;
}

// Which views there are of an item: of a training video as many as it is drawn in an epoch.
void check_request(const DataClipArguments& arguments, const config::Experiment& experiment, bool training) {
  if (!training && !experiment.eval_data)
    throw Error(ErrorKind::usage, "data.val",
                "missing section: expected a data set for --split val, got none");
  const std::int64_t views = training ? experiment.train_clip.clips_per_video * experiment.loader.repeated
                                      : data::views_per_item(experiment.eval_clip);
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
  infer::write_clip(reader, clip,
                    arguments.stage == "final" ? infer::ClipStage::final : infer::ClipStage::decoded,
                    arguments.output);
  const data::ClipInfo info = data::clip_info(clip);
  note(fmt::format("{}: frames {} in {}", info.key, fmt::join(info.frames, " "), arguments.output));
  return 0;
}

}  // namespace kinema::app
