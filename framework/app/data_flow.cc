#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/flow_jobs.h"
#include "framework/flow/extract.h"
#include "framework/tracking/progress.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

flow::FlowOptions options_of(const DataFlowArguments& arguments) {
  flow::FlowOptions options;
  options.method = arguments.method == "farneback" ? flow::Method::farneback : flow::Method::tv_l1;
  options.bound = arguments.bound;
  options.short_side = static_cast<int>(arguments.short_side);
  options.format = arguments.png ? media::PictureFormat::png : media::PictureFormat::jpeg;
  return options;
}

int threads_of(const DataFlowArguments& arguments) {
  if (arguments.threads > 0) return static_cast<int>(arguments.threads);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int data_flow(const DataFlowArguments& arguments) {
  const std::vector<flow::FlowJob> jobs = flow_jobs(arguments.target);
  tracking::Progress progress(tracking::stderr_output());
  progress.begin("flow", std::ssize(jobs));
  const flow::Extracted result =
      flow::extract(jobs, arguments.output, options_of(arguments), threads_of(arguments),
                    [&](const flow::ExtractProgress& now) { progress.update(now.videos); });
  progress.end();
  print(fmt::format(
      "{}: flow of {} videos, {} pairs of pictures{}{}", arguments.output, result.written, result.pairs,
      result.already_there > 0 ? fmt::format("; {} were there already", result.already_there) : "",
      result.bad.empty() ? "" : fmt::format("; {} could not be used", result.bad.size())));
  if (!result.bad.empty()) throw Error(ErrorKind::data, result.bad);
  return 0;
}

}  // namespace kinema::app
