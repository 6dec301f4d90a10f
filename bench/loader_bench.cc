// Clips a second through the whole data path: index, decode, crop, resize, batch. Content: 32 made H.264
// files of 340 x 256 pixels, 100 frames, one key frame in 12, two B-frames; clips of 16 frames, stride 2,
// short side 128, crop 112.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>
#include <vector>

#include "framework/config/experiment.h"
#include "framework/data/loader.h"
#include "framework/data/recipe.h"
#include "framework/media/encode.h"
#include "kinema/random.h"

namespace {

using namespace kinema;

constexpr Size kSize = {340, 256};
constexpr int kVideos = 32, kFrames = 100;

std::filesystem::path make_videos() {
  const auto folder = std::filesystem::temp_directory_path() / "kinema_loader_bench";
  std::filesystem::create_directories(folder);
  std::vector<std::uint8_t> rgb(kSize.width * kSize.height * 3);
  for (int video = 0; video < kVideos; ++video) {
    const auto path = folder / (std::to_string(video) + ".mp4");
    if (std::filesystem::exists(path)) continue;
    media::WriterOptions options;
    options.b_frames = 2;
    media::VideoWriter writer(path.string(), kSize, 25, options);
    Random random(1, video, 0, "bench");
    const auto shift = static_cast<int>(random.below(64));
    for (int t = 0; t < kFrames; ++t) {
      for (int y = 0; y < kSize.height; ++y)
        for (int x = 0; x < kSize.width; ++x)
          for (int c = 0; c < 3; ++c)
            rgb[(y * kSize.width + x) * 3 + c] =
                static_cast<std::uint8_t>((x * (c + 1) + y + shift + 3 * t) ^ (y >> 2));
      writer.write(rgb.data());
    }
    writer.finish();
  }
  return folder;
}

struct Videos final : Dataset {
  std::filesystem::path folder = make_videos();
  std::size_t size() const override { return kVideos; }
  std::vector<std::string> classes() const override { return {"all"}; }
  Item item(std::size_t index) const override {
    Item item;
    item.sources.push_back({.video = folder / (std::to_string(index) + ".mp4")});
    item.target.label = 0;
    item.key = std::to_string(index);
    return item;
  }
};

void loader(benchmark::State& state) {
  config::Experiment experiment;
  experiment.train_clip.short_side = {128};
  const auto dataset = std::make_shared<Videos>();
  data::LoaderSetup setup;
  setup.recipe = std::make_shared<const data::ClipRecipe>(data::train_recipe(experiment, dataset, {}));
  data::TrainScheduleOptions schedule;
  schedule.items = kVideos;
  schedule.clips_per_video = 8;
  schedule.batch = 8;
  setup.schedule = std::make_shared<data::TrainSchedule>(schedule);
  setup.workers = state.range(0);
  data::Loader loader(std::move(setup));
  std::int64_t clips = 0, epoch = 0;
  for (auto _ : state) {
    loader.start(epoch++);
    while (const auto batch = loader.next()) clips += batch->clips;
  }
  state.counters["clips/s"] = benchmark::Counter(static_cast<double>(clips), benchmark::Counter::kIsRate);
}
BENCHMARK(loader)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Repetitions(5);

}  // namespace

BENCHMARK_MAIN();
