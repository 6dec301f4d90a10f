// What a random clip of real videos costs: one of every video of the folder that KINEMA_CLIP_BENCH names, 16
// frames, every second one at 15 frames a second, short side 128, crop 112, on the caller's thread.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "framework/config/experiment.h"
#include "framework/data/clip_source.h"
#include "framework/data/file_list.h"
#include "framework/data/recipe.h"
#include "kinema/error.h"

namespace {

using namespace kinema;

struct Folder final : Dataset {
  std::vector<data::NamedFile> files;
  std::size_t size() const override { return files.size(); }
  std::vector<std::string> classes() const override { return {"all"}; }
  Item item(std::size_t index) const override {
    Item item;
    item.sources.push_back({.video = files.at(index).path});
    item.target.label = 0;
    item.key = files[index].name;
    return item;
  }
};

// False for a file that cannot be read.
bool make_clip(data::ClipReader& reader, std::size_t item, std::uint64_t epoch,
               std::vector<std::uint8_t>& rgb) {
  try {
    reader.read(reader.plan({item, epoch, 0, 0}, item), 0, rgb.data());
    return true;
  } catch (const Error&) {
    return false;
  }
}

void random_clip(benchmark::State& state) {
  const char* folder = std::getenv("KINEMA_CLIP_BENCH");
  if (folder == nullptr) return state.SkipWithError("KINEMA_CLIP_BENCH names no folder of videos");
  const auto dataset = std::make_shared<Folder>();
  dataset->files = data::files_in(folder);
  config::Experiment experiment;
  experiment.train_clip.frames = 16;
  experiment.train_clip.stride = 2;
  experiment.train_clip.fps = 15;
  experiment.train_clip.short_side = {128};
  experiment.train_clip.crop = 112;
  // As in a run: more videos than a thread keeps open, their indexes known.
  data::ClipReader reader(
      std::make_shared<const data::ClipRecipe>(data::train_recipe(experiment, dataset, {})));
  std::vector<std::uint8_t> rgb(16 * 112 * 112 * 3);
  for (std::size_t i = 0; i < dataset->size(); ++i) make_clip(reader, i, 0, rgb);
  std::int64_t clips = 0;
  std::uint64_t epoch = 1;
  for (auto _ : state) {
    for (std::size_t i = 0; i < dataset->size(); ++i) clips += make_clip(reader, i, epoch, rgb) ? 1 : 0;
    ++epoch;
  }
  state.counters["clips"] = static_cast<double>(clips) / static_cast<double>(epoch - 1);
  state.counters["CPU a clip"] = benchmark::Counter(
      static_cast<double>(clips), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(random_clip)->Unit(benchmark::kMillisecond)->Iterations(5);

}  // namespace

BENCHMARK_MAIN();
