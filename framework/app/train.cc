#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/session.h"
#include "framework/tracking/shell_word.h"
#include "framework/train/run.h"
#include "framework/train/stop_signal.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

using tracking::shell_word;

constexpr int kInterruptedExit = 75;  // EX_TEMPFAIL: resumable

// The command line that names this experiment again.
std::string same_command(const ExperimentArguments& experiment) {
  std::string text = fmt::format("kinema train {}", shell_word(experiment.file));
  for (const std::string& change : experiment.overrides) text.append(1, ' ').append(shell_word(change));
  return text;
}

void print_end(const train::RunResult& result, const TrainArguments& arguments) {
  const train::RunState& state = result.outcome.state;
  print(fmt::format("results   {}", result.folder));
  if (state.eval_unreadable > 0)
    print(
        fmt::format("evaluated {} of {} clips", state.eval_clips - state.eval_unreadable, state.eval_clips));
  if (state.best_epoch >= 0)
    print(fmt::format("best      {:.4f} after epoch {}", state.best, state.best_epoch + 1));
  if (result.outcome.status == train::Outcome::Status::interrupted) {
    print(fmt::format("stopped   {} at step {}", result.outcome.reason, state.step));
    print(fmt::format("continue  {} --resume {}", same_command(arguments.experiment),
                      shell_word(result.folder)));
    return;
  }
  print(fmt::format("ended     {}, step {}, {:.1f} s", result.outcome.reason, state.step, state.wall_s));
  if (result.best.empty()) return;
  print(fmt::format("next      kinema predict {} VIDEO", shell_word(result.best)));
  print(fmt::format("          kinema eval {}", shell_word(result.best)));
  ExperimentArguments longer = arguments.experiment;
  std::erase_if(longer.overrides,
                [](const std::string& change) { return change.starts_with("trainer.epochs="); });
  longer.overrides.push_back(fmt::format("trainer.epochs={}", std::max<std::int64_t>(state.epoch, 1) * 2));
  print(fmt::format("          {} --resume", same_command(longer)));
}

}  // namespace

int train(const TrainArguments& arguments) {
  if (arguments.dry_run > 0 && arguments.resume)
    throw Error(ErrorKind::usage, "command line",
                "a dry run begins afresh: expected --dry-run or --resume, got both");
  Session session = open_session(arguments.experiment);
  train::RunRequest request;
  request.experiment = session.experiment;
  request.registry = session.registry;
  request.command_line = arguments.command_line;
  request.resume = arguments.resume;
  request.dry_run = arguments.dry_run;
  request.lines = console_lines();
  request.progress = tracking::stderr_output();
  const train::RunResult result = train::run(request);
  if (result.nothing_to_do) {
    print(fmt::format("nothing to do: {} is finished", result.folder));
  } else if (arguments.dry_run > 0) {
    print(fmt::format("dry run of {} steps: ok", result.outcome.state.step));
  } else {
    print_end(result, arguments);
  }
  if (result.late_signal == SIGINT) {  // nothing was left to stop here, but a loop around this command is
    std::fflush(nullptr);
    train::end_by(SIGINT);
  }
  return result.outcome.status == train::Outcome::Status::interrupted ? kInterruptedExit : 0;
}

}  // namespace kinema::app
