#include <fmt/format.h>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/session.h"
#include "framework/checkpoint/weights.h"
#include "framework/weights/fit.h"

namespace kinema::app {
namespace {

// The weights under the names and in the shapes of a model.
void fit_to_model(const ConvertArguments& arguments, checkpoint::Weights& weights) {
  const ModelSession opened = open_model(arguments.model, StartWeights::ignored);
  config::WeightsOptions start = opened.session.experiment.start;
  if (arguments.lenient) start.strict = false;
  if (arguments.inflation == "centre") start.inflation = config::Inflation::centre;
  weights::Fit fitted =
      weights::fit(*opened.model, std::move(weights), {.strict = start.strict, .inflation = start.inflation});
  for (const std::string& line : fitted.notes) note(line);
  weights.tensors = std::move(fitted.state);
  weights.metadata.clear();  // it spoke of another model
}

}  // namespace

int convert(const ConvertArguments& arguments) {
  const checkpoint::WeightsFormat format = checkpoint::weights_format(arguments.output);
  checkpoint::Weights weights = checkpoint::load_weights(checkpoint::real_file_system(), arguments.input);
  const ModelArguments& model = arguments.model;
  const bool to_model = !model.preset.empty() || !model.experiment.file.empty();
  if (to_model) fit_to_model(arguments, weights);
  checkpoint::save_weights(arguments.output, format, weights.tensors, weights.metadata);
  print(fmt::format("{} tensors in {}", weights.tensors.size(), arguments.output));
  return 0;
}

}  // namespace kinema::app
