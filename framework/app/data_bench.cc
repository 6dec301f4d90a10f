#include <fmt/format.h>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/data_target.h"
#include "framework/app/json_text.h"
#include "framework/app/session.h"
#include "framework/data/decode_plan.h"
#include "framework/data/loader_pace.h"
#include "framework/tracking/clock.h"
#include "framework/train/assembly.h"

namespace kinema::app {
namespace {

using Json = nlohmann::ordered_json;

int bench_plan(const DataBenchArguments& arguments) {
  const std::vector<data::DecodeJob> jobs = data::read_decode_plan(arguments.target.path);
  const data::DecodeFigures figures =
      data::run_decode_plan(jobs, {arguments.threads, arguments.floats, arguments.check});
  std::size_t frames = 0;
  for (const data::DecodeJob& job : jobs) frames += job.frames.size();
  Json object = {{"seconds", figures.seconds},
                 {"clips", jobs.size()},
                 {"cpu_seconds", figures.cpu_seconds},
                 {"frames", frames}};
  if (arguments.check) object["means"] = figures.means;
  if (arguments.json) {
    print(json_line(object));
    return 0;
  }
  for (std::size_t i = 0; i < figures.means.size(); ++i)
    print(fmt::format("{}\t{:.4f}\t{:.4f}\t{:.4f}", jobs[i].video.string(), figures.means[i][0],
                      figures.means[i][1], figures.means[i][2]));
  print(fmt::format("{} clips in {:.3f} s, {:.1f} a second, {:.3f} s of CPU", jobs.size(), figures.seconds,
                    static_cast<double>(jobs.size()) / figures.seconds, figures.cpu_seconds));
  return 0;
}

Json json_of(const data::LoaderPace& pace, bool check) {
  Json object = {{"seconds", pace.seconds},
                 {"clips", pace.clips},
                 {"cpu_seconds", pace.cpu_seconds},
                 {"wait_s", pace.wait_s},
                 {"batches", pace.batches},
                 {"bytes", pace.bytes},
                 {"peak_rss_mb", tracking::peak_rss_mb()}};
  if (check) object["means"] = {pace.means};
  return object;
}

void print_pace(const data::LoaderPace& pace, std::int64_t epoch, bool check) {
  print(fmt::format("epoch {}: {} clips in {:.3f} s, {:.1f} a second, {:.3f} s of CPU", epoch, pace.clips,
                    pace.seconds, static_cast<double>(pace.clips) / pace.seconds, pace.cpu_seconds));
  if (check) print(fmt::format("means {:.4f} {:.4f} {:.4f}", pace.means[0], pace.means[1], pace.means[2]));
}

int bench_loader(const DataBenchArguments& arguments) {
  const Session session = open_session({arguments.target.path, arguments.target.overrides});
  eval::Workshop workshop{session.experiment, *session.registry, {}, console_lines()};
  const auto dataset = workshop.make<Dataset>(session.experiment.train_data, "data.train");
  workshop.classes = dataset->classes();
  data::Loader loader(train::train_loader_setup(workshop, dataset));
  data::LoaderPace pace;
  for (std::int64_t epoch = 0; epoch < arguments.epochs; ++epoch) {
    pace = data::loader_pace(loader, static_cast<std::uint64_t>(epoch), arguments.check);
    if (!arguments.json) print_pace(pace, epoch + 1, arguments.check);
  }
  if (arguments.json) print(json_line(json_of(pace, arguments.check)));
  return 0;
}

}  // namespace

int data_bench(const DataBenchArguments& arguments) {
  check_overrides(arguments.target);
  return target_kind(arguments.target.path) == TargetKind::experiment ? bench_loader(arguments)
                                                                      : bench_plan(arguments);
}

}  // namespace kinema::app
