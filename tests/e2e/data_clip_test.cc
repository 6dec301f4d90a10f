#include <ATen/core/Tensor.h>
#include <ATen/ops/equal.h>

#include <map>
#include <set>

#include "framework/app/session.h"
#include "framework/checkpoint/safetensors.h"
#include "framework/data/loader.h"
#include "framework/eval/device_batch.h"
#include "framework/train/assembly.h"
#include "tests/e2e/project.h"

// `kinema data clip` is how another program sees what a training step sees: nothing may differ.
namespace kinema::e2e {
namespace {

using namespace std::string_literals;
using Overrides = std::vector<std::string>;

struct Clip {
  at::Tensor pixels;
  data::ClipInfo info;
};

// The clips of an epoch as the loader hands them to a step, or those of an evaluation.
std::vector<Clip> loaded(const Project& project, const Overrides& overrides, bool training,
                         std::int64_t epoch) {
  const app::Session session = app::open_session(app::ExperimentArguments{project / "tiny.toml", overrides});
  const eval::Workshop workshop{session.experiment, *session.registry, {}, {}};
  const auto& section = training ? session.experiment.train_data : session.experiment.eval_data;
  const auto dataset = workshop.make<Dataset>(section, "data");
  data::Loader loader(training ? train::train_loader_setup(workshop, dataset)
                               : eval::eval_loader_setup(workshop, dataset));
  loader.start(epoch, 0);
  std::vector<Clip> clips;
  while (const auto batch = loader.next()) {
    const at::Tensor pixels = eval::to_device(*batch, at::kCPU).clips.clips.at("rgb");
    for (std::size_t i = 0; i < batch->infos.size(); ++i)
      clips.push_back({pixels.select(0, static_cast<std::int64_t>(i)).contiguous(), batch->infos[i]});
  }
  return clips;
}

std::string joined(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

// The same clip from the program.
void expect_written(const Project& project, const Overrides& overrides, const std::string& split,
                    std::int64_t epoch, std::int64_t view, const Clip& clip) {
  std::vector<std::string> arguments = {"data", "clip", "tiny.toml"};
  arguments.insert(arguments.end(), overrides.begin(), overrides.end());
  for (const auto& word :
       {"--split"s, split, "--index"s, std::to_string(clip.info.index), "--epoch"s, std::to_string(epoch),
        "--view"s, std::to_string(view), "--stage"s, "final"s, "--output"s, "clip.safetensors"s})
    arguments.push_back(word);
  ASSERT_TRUE(ended(project.kinema(arguments), 0));
  const checkpoint::Safetensors file =
      checkpoint::read_safetensors(checkpoint::real_file_system(), project / "clip.safetensors");
  const std::string which =
      clip.info.key + ", epoch " + std::to_string(epoch) + ", view " + std::to_string(view);
  ASSERT_EQ(file.tensors.size(), 1u);
  EXPECT_TRUE(at::equal(file.tensors[0].tensor, clip.pixels)) << which;
  EXPECT_EQ(file.metadata.at("key"), clip.info.key);
  EXPECT_EQ(file.metadata.at("frames"), joined(clip.info.frames)) << which;
  EXPECT_EQ(file.metadata.at("flip"), clip.info.geometry.flip ? "true" : "false") << which;
  EXPECT_EQ(file.metadata.at("label"), std::to_string(clip.info.target.label));
}

TEST(data_clip, is_byte_for_byte_what_a_training_batch_holds) {
  const Project project;
  const Overrides overrides = {"clip.clips_per_video=2", "clip.flip=true", "~clip.resize",
                               "clip.short_side=[20,30]"};
  std::set<bool> flips;
  for (const std::int64_t epoch : {0, 3}) {
    const std::vector<Clip> clips = loaded(project, overrides, true, epoch);
    ASSERT_EQ(clips.size(), 32u) << "16 videos, two clips of each";
    for (std::size_t i = 0; i < clips.size(); i += 7) {
      expect_written(project, overrides, "train", epoch, clips[i].info.temporal_view, clips[i]);
      flips.insert(clips[i].info.geometry.flip);
    }
  }
  EXPECT_EQ(flips.size(), 2u) << "the choice of clips should hold mirrored ones and others";
}

TEST(data_clip, shows_the_repeats_of_an_item_as_its_views_and_mirrored_labels) {
  const Project project;
  const Overrides overrides = {"loader.repeated=2", "clip.flip=true", "clip.flip_labels={\"left\"=\"right\"}",
                               "clip.train.sampling=segments", "~clip.stride"};
  const std::vector<Clip> clips = loaded(project, overrides, true, 1);
  ASSERT_EQ(clips.size(), 32u);
  std::set<bool> exchanged;
  for (std::size_t i = 0; i < clips.size(); i += 3) {
    expect_written(project, overrides, "train", 1, static_cast<std::int64_t>(i % 2), clips[i]);
    const bool left = clips[i].info.key.find("left") != std::string::npos;
    exchanged.insert(left && clips[i].info.target.label == 2);
  }
  EXPECT_EQ(clips[0].info.key, clips[1].info.key);
  EXPECT_FALSE(at::equal(clips[0].pixels, clips[1].pixels));
  EXPECT_EQ(exchanged.size(), 2u) << "the choice of clips should hold a mirrored one of the left";
}

TEST(data_clip, goes_through_the_listed_transforms_as_a_batch_does) {
  const Project project;
  const Overrides overrides = {"~clip.flip",
                               "transform.train=[{type=\"random_resized_crop\",size=16},{type=\"brightness\","
                               "amount=0.5},{type=\"flip\"}]"};
  const std::vector<Clip> clips = loaded(project, overrides, true, 1);
  ASSERT_EQ(clips.size(), 16u);
  for (std::size_t i = 0; i < clips.size(); i += 5)
    expect_written(project, overrides, "train", 1, 0, clips[i]);
}

TEST(data_clip, is_byte_for_byte_what_each_view_of_an_evaluation_holds) {
  const Project project;
  const Overrides overrides = {"clip.resize=[16,24]", "clip.eval.temporal_views=2",
                               "clip.eval.spatial_crops=3"};
  const std::vector<Clip> clips = loaded(project, overrides, false, 0);
  ASSERT_EQ(clips.size(), 8u * 6);
  std::map<std::int64_t, at::Tensor> of_view;
  for (const Clip& clip : clips) {
    if (clip.info.index != 5) continue;
    const std::int64_t view = clip.info.temporal_view * 3 + clip.info.spatial_view;
    expect_written(project, overrides, "val", 0, view, clip);
    of_view[view] = clip.pixels;
  }
  ASSERT_EQ(of_view.size(), 6u);
  for (std::int64_t view = 1; view < 6; ++view)
    EXPECT_FALSE(at::equal(of_view[0], of_view[view])) << "view " << view << " should show something else";
}

}  // namespace
}  // namespace kinema::e2e
