#include <fmt/format.h>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/json_text.h"
#include "framework/data/decode_plan.h"

namespace kinema::app {

int data_bench(const DataBenchArguments& arguments) {
  const std::vector<data::DecodeJob> jobs = data::read_decode_plan(arguments.plan);
  const data::DecodeFigures figures =
      data::run_decode_plan(jobs, {arguments.threads, arguments.floats, arguments.check});
  nlohmann::ordered_json object = {
      {"seconds", figures.seconds}, {"clips", jobs.size()}, {"cpu_seconds", figures.cpu_seconds}};
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

}  // namespace kinema::app
