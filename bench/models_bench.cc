// Building each preset of each model, and loading weights of r3d_18's size (133 MB) into it: seconds, and for
// the loading the memory that it takes beside the model, as a ratio to the file's size.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "framework/checkpoint/weights.h"
#include "framework/plugin/registry.h"
#include "framework/plugin/search_path.h"
#include "framework/weights/fit.h"

namespace {

using namespace kinema;

plugin::Registry& registry() {
  static plugin::Registry all;
  static const bool loaded = [] {
    all.load(
        plugin::find_libraries(plugin::search_path({std::filesystem::path(KINEMA_BUILD_DIR) / "plugins"})));
    return true;
  }();
  benchmark::DoNotOptimize(loaded);
  return all;
}

std::shared_ptr<Model> make(const std::string& type, const std::string& preset) {
  plugin::MakeContext context;
  context.num_classes = 400;
  return registry().make<Model>(type, Value::table({{"preset", preset}}), context);
}

void build(benchmark::State& state, const std::string& type, const std::string& preset) {
  for (auto _ : state) benchmark::DoNotOptimize(make(type, preset));
}

// Peak of resident memory since the last reset, in bytes.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string key, value; status >> key; std::getline(status, value))
    if (key == "VmHWM:") {
      status >> value;
      return std::stod(value) * 1024;
    }
  return 0;
}
void reset_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

void load(benchmark::State& state, const std::string& ending) {
  const auto model = make("resnet3d", "r3d_18");
  const std::string path =
      (std::filesystem::temp_directory_path() / ("kinema-weights-bench-" + std::to_string(::getpid())))
          .string() +
      ending;
  checkpoint::save_weights(path, checkpoint::weights_format(path), model->state());
  double extra = 0;
  for (auto _ : state) {
    reset_peak();
    const double before = peak_bytes();
    weights::load(*model, checkpoint::load_weights(checkpoint::real_file_system(), path));
    extra = std::max(extra, peak_bytes() - before);
  }
  const double bytes = static_cast<double>(std::filesystem::file_size(path));
  state.counters["file_MB"] = bytes / 1e6;
  state.counters["extra_memory"] = extra / bytes;
  std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
  for (const ComponentInfo* model : registry().all("model"))
    for (const Preset& preset : model->presets)
      benchmark::RegisterBenchmark(("build/" + preset.name).c_str(), build, model->type, preset.name)
          ->Unit(benchmark::kSecond)
          ->Iterations(1)
          ->Repetitions(3)
          ->ReportAggregatesOnly();
  for (const char* ending : {".safetensors", ".pth"})
    benchmark::RegisterBenchmark((std::string("load/r3d_18") + ending).c_str(), load, ending)
        ->Unit(benchmark::kSecond)
        ->UseRealTime()
        ->Iterations(3);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
