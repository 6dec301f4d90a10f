#include "framework/config/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/config/sections.h"
#include "framework/config/show.h"
#include "framework/config/toml.h"
#include "tests/unit/config/fake_catalog.h"
#include "tests/unit/config/folder.h"

namespace kinema::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const char* kSmallest =
    "[model]\ntype = \"resnet3d\"\n[data.train]\ntype = \"folder\"\nroot = \"videos\"\n"
    "[data.val]\ntype = \"folder\"\nroot = \"videos\"\n";

const char* kLarge = R"(
name = "large"
seed = 7
plugins = ["mine"]
[model]
type = "two_stream"
weights = "start.safetensors"
rgb = { type = "resnet3d", preset = "resnet3d_50", head.dropout = 0.3 }
[model.flow]
type = "resnet3d"
layers = 34
[data.train]
type = "concat"
[[data.train.parts]]
type = "folder"
root = "a $${literal}"
exclude = ["x*", "y*"]
[[data.train.parts]]
type = "folder"
root = "/abs/b"
[data.val]
type = "folder"
root = "b"
subset = "test"
[clip]
frames = 32
short_side = [128, 160]
crop = 112
flip = false
clips_per_video = 2
spatial_crops = 3
[clip.train]
resize = [128, 171]
[clip.eval]
temporal_views = 10
sampling = "uniform"
[[transform.eval]]
type = "colour_jitter"
[loader]
global_batch = 64
workers = "auto"
[loss]
type = "cross_entropy"
label_smoothing = 0.1
[optimizer]
type = "sgd"
lr = 1
momentum = 0.8
[scheduler]
type = "cosine"
warmup_epochs = 2
[trainer]
epochs = 3
accumulate = 4
precision = "bf16"
[distributed]
sync_batch_norm = true
[[callback]]
type = "early_stopping"
patience = 3
[[callback]]
type = "early_stopping"
monitor = "val/loss"
)";

Experiment load(const std::filesystem::path& file, const std::vector<std::string>& overrides = {}) {
  const FakeCatalog catalog;
  return parse_experiment(read_layers(file, overrides), &catalog);
}

TEST(experiment, needs_a_model_and_data_and_has_a_default_for_the_rest) {
  const Folder folder;
  const Experiment experiment = load(folder.write("exp.toml", kSmallest));
  EXPECT_EQ(experiment.model.type, "resnet3d");
  EXPECT_EQ(experiment.train_data.options.find("root")->as_string(), (folder.path() / "videos").string());
  EXPECT_EQ(experiment.loss.type, "cross_entropy");
  EXPECT_EQ(experiment.optimizer.component.type, "sgd");
  EXPECT_EQ(experiment.scheduler.component.type, "");
  EXPECT_EQ(experiment.loader.batch, 8);
  EXPECT_EQ(experiment.loader.workers, std::nullopt);
  EXPECT_EQ(experiment.train_transforms, std::nullopt);
  EXPECT_EQ(experiment.trainer.monitor, "val/top1");
}

TEST(experiment, every_section_reaches_its_struct) {
  const Folder folder;
  const Experiment experiment = load(folder.write("exp.toml", kLarge));
  EXPECT_EQ(experiment.name, "large");
  EXPECT_EQ(experiment.seed, 7u);
  EXPECT_THAT(experiment.plugins, ElementsAre(folder.path() / "mine"));
  EXPECT_EQ(experiment.start.weights, folder.path() / "start.safetensors");
  EXPECT_EQ(experiment.model.options.find("weights"), nullptr);
  EXPECT_EQ(experiment.train_clip.frames, 32);
  EXPECT_EQ(experiment.loss.options.text(), "{ label_smoothing = 0.1 }");
  EXPECT_EQ(experiment.optimizer.lr, 1.0);
  EXPECT_EQ(experiment.optimizer.component.options.text(), "{ momentum = 0.8 }");
  EXPECT_EQ(experiment.scheduler.component.type, "cosine");
  EXPECT_EQ(experiment.scheduler.warmup_epochs, 2);
  EXPECT_EQ(experiment.trainer.precision, Precision::bf16);
  EXPECT_TRUE(experiment.distributed.sync_batch_norm);
  ASSERT_EQ(experiment.callbacks.size(), 2u);
  EXPECT_EQ(experiment.callbacks[1].options.text(), "{ monitor = \"val/loss\" }");
  ASSERT_TRUE(experiment.eval_transforms);
  EXPECT_EQ(experiment.eval_transforms->at(0).type, "colour_jitter");
  EXPECT_EQ(experiment.train_transforms, std::nullopt);
}

TEST(experiment, presets_lie_below_the_keys_and_old_names_become_new_ones) {
  const Folder folder;
  const Experiment experiment = load(folder.write("exp.toml", kLarge));
  EXPECT_EQ(*experiment.model.options.find("rgb"),
            Value::table({{"type", "resnet3d"}, {"depth", 50}, {"head", Value::table({{"dropout", 0.3}})}}));
  EXPECT_EQ(*experiment.model.options.find("flow"), Value::table({{"type", "resnet3d"}, {"depth", 34}}));
  EXPECT_EQ(experiment.model.options.find("rgb")->find("depth")->origin.text(), "preset resnet3d_50");
}

TEST(experiment, paths_inside_components_are_relative_to_the_file_that_says_them) {
  const Folder folder;
  const Experiment experiment = load(folder.write("exp.toml", kLarge));
  const auto& parts = experiment.train_data.options.find("parts")->as_array();
  EXPECT_EQ(parts[0].find("root")->as_string(), (folder.path() / "a ${literal}").string());
  EXPECT_EQ(parts[1].find("root")->as_string(), "/abs/b");
}

TEST(experiment, clip_overrides_are_merged_key_by_key_and_displace_what_excludes_them) {
  const Folder folder;
  const Experiment experiment = load(folder.write("exp.toml", kLarge), {"~transform.eval"});
  EXPECT_THAT(experiment.train_clip.resize, ElementsAre(128, 171));
  EXPECT_THAT(experiment.train_clip.short_side, ElementsAre());
  EXPECT_EQ(experiment.train_clip.temporal_views, 1);
  EXPECT_EQ(experiment.train_clip.sampling, std::nullopt);
  EXPECT_THAT(experiment.eval_clip.short_side, ElementsAre(128)) << "the low one";
  EXPECT_EQ(experiment.eval_clip.temporal_views, 10);
  EXPECT_EQ(experiment.eval_clip.sampling, Sampling::uniform);
}

TEST(experiment, common_clip_keys_reach_the_use_that_they_are_for) {
  const Folder folder;
  const Experiment experiment = load(folder.write("exp.toml", kLarge), {"~transform.eval"});
  EXPECT_FALSE(experiment.train_clip.flip);
  EXPECT_EQ(experiment.train_clip.clips_per_video, 2);
  EXPECT_EQ(experiment.train_clip.spatial_crops, 1);
  EXPECT_EQ(experiment.eval_clip.spatial_crops, 3);
  EXPECT_EQ(experiment.eval_clip.clips_per_video, 1);
  const Value& shown = *experiment.resolved.find("clip");
  for (const char* key : {"flip", "clips_per_video"}) {
    EXPECT_TRUE(shown.find("train")->find(key)) << key;
    EXPECT_FALSE(shown.find("eval")->find(key)) << key;
  }
}

TEST(experiment, a_list_of_transforms_takes_the_place_of_the_geometry_keys_of_its_use_alone) {
  const Folder folder;
  const Experiment experiment = load(folder.write("exp.toml", kLarge), {"clip.mean=[0.5,0.5,0.5]"});
  const Value& shown = *experiment.resolved.find("clip");
  for (const char* key : {"resize", "short_side", "crop"}) EXPECT_FALSE(shown.find("eval")->find(key)) << key;
  EXPECT_TRUE(shown.find("eval")->find("mean")) << "the list does not normalise";
  EXPECT_THAT(experiment.eval_clip.mean, ElementsAre(0.5, 0.5, 0.5));
  EXPECT_EQ(experiment.train_clip.crop, 112);
  EXPECT_TRUE(shown.find("train")->find("crop"));
}

TEST(experiment, flip_labels_are_said_as_a_table_and_kept_as_pairs) {
  const Folder folder;
  const std::string file = folder.write("exp.toml", kLarge);
  const auto pairs = [](const Experiment& e) { return e.train_clip.flip_labels; };
  const Experiment experiment = load(file, {R"(clip.train.flip_labels={"swipe left"="swipe right"})"});
  EXPECT_THAT(pairs(experiment), ElementsAre(ElementsAre("swipe left", "swipe right")));
  EXPECT_EQ(pairs(load(file, {R"(clip.train.flip_labels=[["swipe left", "swipe right"]])"})),
            pairs(experiment));
}

TEST(experiment, keys_that_a_sampling_has_no_use_for_are_not_shown) {
  const Folder folder;
  const Experiment experiment =
      load(folder.write("exp.toml", kLarge), {"clip.train.sampling=dense", "clip.train.window=96"});
  EXPECT_EQ(experiment.train_clip.sampling, Sampling::dense);
  EXPECT_EQ(experiment.train_clip.window, 96);
  const Value& shown = *experiment.resolved.find("clip");
  EXPECT_EQ(shown.find("train")->find("stride"), nullptr);
  EXPECT_NE(shown.find("train")->find("window"), nullptr);
  EXPECT_EQ(shown.find("eval")->find("window"), nullptr);
  EXPECT_NE(shown.find("eval")->find("stride"), nullptr);
}

TEST(experiment, a_global_batch_is_shared_by_accumulation_steps_and_ranks) {
  const Folder folder;
  const Experiment experiment = load(folder.write("exp.toml", kLarge));
  EXPECT_EQ(experiment.loader.batch, 16);
  EXPECT_EQ(micro_batch(experiment, 1), 16);
  EXPECT_EQ(micro_batch(experiment, 2), 8);
  try {
    micro_batch(experiment, 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr(":40:16: indivisible global_batch: expected a multiple of accumulate x "
                          "ranks = 4 x 3, got 64"));
  }
}

TEST(experiment, without_evaluation_the_training_loss_is_watched) {
  const Folder folder;
  const Experiment experiment =
      load(folder.write("exp.toml", kSmallest), {"trainer.eval_every=0", "~data.val"});
  EXPECT_EQ(experiment.trainer.monitor, "train/loss");
  EXPECT_FALSE(experiment.eval_data);
}

TEST(experiment, monitors_of_own_metrics_are_known_when_they_are_named_or_can_not_be_known_yet) {
  const Folder folder;
  const FakeCatalog catalog;
  const auto file = folder.write("exp.toml", kSmallest);
  const Layers layers = read_layers(file, {"trainer.monitor=val/ece"});
  EXPECT_THROW(parse_experiment(layers, &catalog), Error);
  EXPECT_EQ(parse_experiment(layers, &catalog, {"val/ece"}).trainer.monitor, "val/ece");
  const Layers with_metric =
      read_layers(file, {"trainer.monitor=val/ece", "metric+={ type = \"calibration\" }"});
  EXPECT_EQ(parse_experiment(with_metric, &catalog).metrics.size(), 1u);
}

TEST(experiment, components_are_taken_as_they_are_without_a_catalog) {
  const Folder folder;
  const Layers layers =
      read_layers(folder.write("exp.toml", kSmallest), {"model.type=anything", "model.key=1"});
  EXPECT_EQ(parse_experiment(layers, nullptr).model.options.text(), "{ key = 1 }");
}

TEST(shown_experiment, parses_back_to_the_same_experiment_from_any_folder) {
  const Folder folder;
  for (const char* text : {kSmallest, kLarge}) {
    const Experiment first = load(folder.write("exp.toml", text), {"runs_dir=runs"});
    const std::string shown = show(first.resolved);
    const Experiment second = load(folder.write("elsewhere/config.toml", shown));
    EXPECT_EQ(second.resolved, first.resolved) << shown;
    EXPECT_EQ(show(second.resolved), shown);
    EXPECT_EQ(second.loader.batch, first.loader.batch);
    EXPECT_EQ(second.loader.global_batch, first.loader.global_batch);
    EXPECT_EQ(second.train_clip.resize, first.train_clip.resize);
    EXPECT_EQ(second.trainer.monitor, first.trainer.monitor);
  }
}

TEST(shown_experiment, holds_defaults_and_tells_where_each_value_came_from) {
  const Folder folder;
  std::filesystem::current_path(folder.path());
  folder.write("exp.toml", kSmallest);
  const Experiment experiment = load("exp.toml", {"trainer.epochs=9", "model.preset=resnet3d_10"});
  const std::string text = show(experiment.resolved, true);
  std::filesystem::current_path("/");
  EXPECT_THAT(text, HasSubstr("\ntype = \"resnet3d\"  # exp.toml:2:8\n"));
  EXPECT_THAT(text, HasSubstr("\ndepth = 10  # preset resnet3d_10\n"));
  EXPECT_THAT(text, HasSubstr("\n[model.head]\ndropout = 0.5  # default\n"));
  EXPECT_THAT(text, HasSubstr("\nepochs = 9  # command line\n"));
  EXPECT_THAT(text, HasSubstr("\nworkers = \"auto\"  # default\n"));
  EXPECT_THAT(text, HasSubstr("root = \"" + (folder.path() / "videos").string() + "\"  # exp.toml:5:8\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n[clip]\n")));
}

TEST(shown_experiment, any_table_survives) {
  const Value table = Value::table(
      {{"odd key", Value::table({{"a.b", "line\nbreak \"quoted\" \\ ${X} $${Y} \x01 \x7f"}})},
       {"list", Value(Value::Array{Value::table({{"x", Value::table({{"y", 1}})}}), Value::table()})},
       {"mixed", Value(Value::Array{Value::table({{"x", 1}}), 2, Value(Value::Array{})})},
       {"reals", Value(Value::Array{1.0, 1e300, 1e-300, -0.0, 0.1, 123456789012.0})},
       {"empty", Value::table()}});
  std::vector<Problem> problems;
  auto back = parse_toml(show(table), Origin{}, problems);
  ASSERT_TRUE(back) << problems[0].what << "\n" << show(table);
  Layers none;
  const Folder folder;
  EXPECT_EQ(read_layers(folder.write("x.toml", show(table))).merged, table);
}

TEST(sections, all_have_help_for_every_key) {
  EXPECT_GT(sections().size(), 8u);
  for (const Section& section : sections())
    for (const Option& option : section.table->options())
      EXPECT_NE(option.help, "") << section.name << "." << option.name;
}

TEST(sections, all_defaults_pass_their_own_checks) {
  for (const Section& section : sections())
    for (const Option& option : section.table->options())
      for (const Check& check : option.checks) {
        const Value& value = option.default_value;
        const bool unset =
            value.is(Value::Type::none) || (value.is(Value::Type::array) && value.as_array().empty());
        EXPECT_TRUE(unset || check.accepts(value)) << section.name << "." << option.name;
      }
}

}  // namespace
}  // namespace kinema::config
