#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "framework/app/command.h"
#include "framework/app/commands.h"
#include "framework/app/usage.h"

namespace kinema::app {
namespace {

void add_target(CLI::App* app, DataTarget& target) {
  app->add_option("target", target.path, "experiment file, folder, or list of files")->required();
  app->add_option("overrides", target.overrides, "changes to the experiment");
}

void add_clip(CLI::App& data, Chosen& chosen) {
  Command<DataClipArguments> clip(data, "clip", "write one clip as the trainer sees it", data_clip, chosen);
  auto& c = *clip.arguments;
  add_experiment(clip.app, c.experiment);
  clip.app->add_option("--split", c.split, "train or val")->check(one_of({"train", "val"}));
  clip.app->add_option("--index", c.index, "item of the data set")->check(whole_number());
  clip.app->add_option("--epoch", c.epoch, "epoch of the augmentation")->check(whole_number());
  clip.app->add_option("--view", c.view, "view, or draw of the item in the epoch")->check(whole_number());
  clip.app->add_option("--stage", c.stage, "decoded or final")->check(one_of({"decoded", "final"}));
  clip.app->add_option("--output", c.output, "safetensors to write")->required();
}

void add_check(CLI::App& data, Chosen& chosen) {
  Command<DataCheckArguments> check(data, "check", "find files that cannot be used, and faults of others",
                                    data_check, chosen);
  auto& c = *check.arguments;
  add_target(check.app, c.target);
  check.app->add_option("--threads", c.threads, "files at a time; default: one a core")
      ->check(positive_number());
  check.app->add_flag("--quick", c.quick, "look at the packets alone where a run would not decode more");
  check.app->add_flag("--all", c.all, "list the good ones, too");
  check.app->add_flag("--json", c.json, "one JSON object on stdout");
}

void add_stats(CLI::App& data, Chosen& chosen) {
  Command<DataStatsArguments> stats(data, "stats", "classes, lengths, sizes, rates and colours in numbers",
                                    data_stats, chosen);
  auto& s = *stats.arguments;
  add_experiment(stats.app, s.experiment);
  stats.app->add_option("--split", s.split, "train or val; default: both")->check(one_of({"train", "val"}));
  stats.app->add_option("--pixels", s.pixels, "frames to measure colours on; 0: none")->check(whole_number());
  stats.app->add_option("--threads", s.threads, "files at a time; default: one a core")
      ->check(positive_number());
  stats.app->add_flag("--json", s.json, "one JSON object on stdout");
}

void add_subset(CLI::App& data, Chosen& chosen) {
  Command<DataSubsetArguments> subset(data, "subset", "write a part of a data set as a list", data_subset,
                                      chosen);
  auto& s = *subset.arguments;
  add_experiment(subset.app, s.experiment);
  subset.app->add_option("--split", s.split, "train or val")->check(one_of({"train", "val"}));
  subset.app->add_option("--fraction", s.fraction, "this share of each class");
  subset.app->add_option("--per-class", s.per_class, "so many items of each class")->check(positive_number());
  subset.app->add_option("--representative", s.representative,
                         "this share of each class, short and long items as in the whole");
  subset.app->add_option("--seed", s.seed, "another number chooses others");
  subset.app
      ->add_option("--output", s.output,
                   "list to write; beside it the class names and the section that reads it")
      ->required();
}

// What commands that write videos anew have in common.
template <class Arguments>
void add_encoding(CLI::App* app, Arguments& arguments) {
  add_target(app, arguments.target);
  app->add_option("--output", arguments.output, "folder to write, outside of the videos' own")->required();
  app->add_option("--fps", arguments.fps, "frames a second; default: every frame of the file")
      ->check(CLI::Range(0.1, 1000.0));
  app->add_option("--gop", arguments.gop, "frames from one that stands alone to the next")
      ->check(positive_number());
  app->add_option("--quality", arguments.quality,
                  "of the encoder, less is better; libx264: 0 to 51, usually 20")
      ->check(CLI::Range(0, 51));
  app->add_option("--threads", arguments.threads, "files at a time; default: one a core")
      ->check(positive_number());
}

void add_transcode(CLI::App& data, Chosen& chosen) {
  Command<DataTranscodeArguments> transcode(data, "transcode", "write videos anew so that clips decode fast",
                                            data_transcode, chosen);
  auto& t = *transcode.arguments;
  add_encoding(transcode.app, t);
  transcode.app->add_option("--short-side", t.short_side, "in pixels, never enlarged; default: as it is")
      ->check(CLI::Range(16, 16384));
}

void add_shard(CLI::App& data, Chosen& chosen) {
  Command<DataShardArguments> shard(data, "shard", "write videos into a few large files for random clips",
                                    data_shard, chosen);
  auto& s = *shard.arguments;
  add_encoding(shard.app, s);
  shard.app->add_option("--short-side", s.short_side, "in pixels, never enlarged")
      ->check(CLI::Range(16, 16384));
  shard.app->add_option("--shard-mb", s.shard_mb, "size of the files, in MiB")->check(CLI::Range(1, 1 << 20));
}

void add_browse(CLI::App& data, Chosen& chosen) {
  Command<DataBrowseArguments> browse(data, "browse", "pictures of clips as the trainer sees them",
                                      data_browse, chosen);
  auto& b = *browse.arguments;
  add_experiment(browse.app, b.experiment);
  browse.app->add_option("--split", b.split, "train or val")->check(one_of({"train", "val"}));
  browse.app->add_option("--items", b.items, "how many, spread evenly over the data set")
      ->check(positive_number());
  browse.app->add_option("--epoch", b.epoch, "epoch of the augmentation")->check(whole_number());
  browse.app->add_flag("--stages", b.stages, "a picture after each step, too");
  browse.app->add_option("--output", b.output, "folder to write")->required();
}

void add_bench(CLI::App& data, Chosen& chosen) {
  Command<DataBenchArguments> bench(
      data, "bench", "decode the clips of a plan, or load an experiment's, as fast as possible", data_bench,
      chosen);
  auto& b = *bench.arguments;
  bench.app
      ->add_option(
          "target", b.target.path,
          "a plan (a line a clip, tabs between: path, width, height, crop y, crop x, short side, crop size, "
          "frames with commas between), or an experiment file: its training loader")
      ->required();
  bench.app->add_option("overrides", b.target.overrides, "changes to the experiment");
  CLI::Option* threads = bench.app->add_option("--threads", b.threads, "of a plan: threads that decode")
                             ->check(positive_number());
  CLI::Option* floats = bench.app->add_flag(
      "--float", b.floats, "of a plan: normalised float32 [3, frames, height, width] besides the bytes");
  bench.app->add_option("--epochs", b.epochs, "of an experiment: how many; the figures are the last one's")
      ->check(positive_number())
      ->excludes(threads, floats);
  bench.app->add_flag("--check", b.check, "the means of the channels: of each clip of a plan, of an epoch");
  bench.app->add_flag("--json", b.json, "one JSON object on stdout");
}

void add_flow(CLI::App& data, Chosen& chosen) {
  Command<DataFlowArguments> flow(data, "flow", "compute the optical flow of videos", data_flow, chosen);
  auto& f = *flow.arguments;
  add_target(flow.app, f.target);
  flow.app
      ->add_option("--output", f.output, "folder for flow_x_00001.jpg, flow_y_00001.jpg, ... of each video")
      ->required();
  flow.app->add_option("--method", f.method, "tvl1 or farneback")->check(one_of({"tvl1", "farneback"}));
  flow.app->add_option("--bound", f.bound, "motion in pixels that is the largest of the scale")
      ->check(CLI::PositiveNumber);
  flow.app->add_option("--short-side", f.short_side, "resize the frames first")->check(positive_number());
  flow.app->add_option("--threads", f.threads, "default: all cores")->check(positive_number());
  flow.app->add_flag("--png", f.png, "pictures without loss");
}

}  // namespace

void add_data_commands(CLI::App& data, Chosen& chosen) {
  add_clip(data, chosen);
  add_check(data, chosen);
  add_stats(data, chosen);
  add_subset(data, chosen);
  add_transcode(data, chosen);
  add_shard(data, chosen);
  add_browse(data, chosen);
  add_flow(data, chosen);
  add_bench(data, chosen);
}

}  // namespace kinema::app
