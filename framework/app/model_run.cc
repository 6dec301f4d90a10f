#include "framework/infer/model_run.h"

#include <fmt/format.h>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/session.h"

namespace kinema::app {

int model_run(const ModelRunArguments& arguments) {
  const ModelSession opened = open_model(arguments.model);
  const infer::TensorRun run{arguments.weights, arguments.input, arguments.output,
                             arguments.dtype == "float64"};
  infer::TensorRunResult written;
  if (arguments.train_loss) {
    const auto loss = opened.session.registry->make<Loss>("cross_entropy", Value::table(), {});
    written = infer::run_on_tensors(*opened.model, *loss, *arguments.train_loss, run);
  } else {
    written = infer::run_on_tensors(*opened.model, run);
  }
  for (const std::string& line : written.notes) note("weights: " + line);
  note(fmt::format("{} tensors in {}", written.tensors, arguments.output));
  return 0;
}

}  // namespace kinema::app
