#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/demo_clips.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

// The demo's experiment: everything written out, so that it is a good first file to edit.
constexpr std::string_view kExperiment = R"(# Which way does the shape move? One frame does not tell.
name = "demo"
seed = 1

[model]
type = "resnet3d"
blocks = [1, 1, 1, 1]
width = 8

[data.train]
type = "video_folder"
root = "clips/train"

[data.val]
type = "video_folder"
root = "clips/test"

[clip]
frames = 8
stride = 2
resize = [40, 40]
crop = 36
flip = false   # a mirrored "left" is a "right"

[loader]
batch = 16

[loss]
type = "cross_entropy"

[optimizer]
type = "adamw"
lr = 0.01
weight_decay = 0.01

[scheduler]
type = "onecycle"

[trainer]
epochs = 6

[checkpoint]
every_epochs = 1
)";

void write_project(const std::filesystem::path& folder) {
  const DemoClips clips;
  note(fmt::format("making clips in {}", (folder / "clips").string()));
  write_demo_clips(folder / "clips", clips, [](std::int64_t, std::int64_t) {});
  const std::filesystem::path file = folder / "demo.toml";
  std::ofstream out(file);
  out << kExperiment;
  if (!out.flush()) throw Error(ErrorKind::run, file.string(), "cannot be written");
}

int eject(const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder) && !std::filesystem::is_empty(folder))
    throw Error(ErrorKind::usage, folder.string(),
                "not empty: expected a new folder, got one with files in it");
  write_project(folder);
  print(fmt::format("your project is {}\nnext: kinema train {}", folder.string(),
                    (folder / "demo.toml").string()));
  return 0;
}

}  // namespace

int demo(const DemoArguments& arguments) {
  if (!arguments.eject.empty()) return eject(arguments.eject);
  const std::filesystem::path folder = std::filesystem::path("runs") / "demo" / "project";
  if (!std::filesystem::exists(folder / "demo.toml")) write_project(folder);
  TrainArguments training;
  training.experiment.file = (folder / "demo.toml").string();
  return train(training);
}

}  // namespace kinema::app
