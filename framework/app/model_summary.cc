#include <fmt/format.h>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/json_text.h"
#include "framework/app/session.h"
#include "framework/data/recipe.h"
#include "framework/eval/assembly.h"
#include "framework/infer/summary.h"

namespace kinema::app {
namespace {

// Frames, rows, columns.
std::vector<std::int64_t> input_size(const ModelSummaryArguments& arguments, const Session& session) {
  if (!arguments.input.empty()) return arguments.input;
  const eval::Workshop workshop{session.experiment, *session.registry, {}, console_lines()};
  const Size size = data::eval_size(session.experiment, eval::transform_maker(workshop));
  return {session.experiment.eval_clip.frames, size.height, size.width};
}

std::string json_text(const infer::ModelSummary& summary) {
  nlohmann::ordered_json json = {{"parameters", summary.parameters},
                                 {"multiply_adds", summary.multiply_adds}};
  json["layers"] = nlohmann::ordered_json::array();
  for (const infer::LayerSummary& layer : summary.layers)
    json["layers"].push_back({{"path", layer.path},
                              {"type", layer.type},
                              {"output", layer.output},
                              {"parameters", layer.parameters},
                              {"multiply_adds", layer.multiply_adds}});
  return json_lines(json);
}

std::string table_text(const infer::ModelSummary& summary) {
  std::size_t width = 5;
  for (const infer::LayerSummary& layer : summary.layers) width = std::max(width, layer.path.size());
  std::string text = fmt::format("{:<{}}  {:<18} {:>12} {:>16}  {}\n", "layer", width, "type", "parameters",
                                 "multiply-adds", "output");
  for (const infer::LayerSummary& layer : summary.layers)
    text += fmt::format("{:<{}}  {:<18} {:>12} {:>16}  {}\n", layer.path, width, layer.type, layer.parameters,
                        layer.multiply_adds, fmt::join(layer.output, " x "));
  return text +
         fmt::format("total: {} parameters, {} multiply-adds", summary.parameters, summary.multiply_adds);
}

}  // namespace

int model_summary(const ModelSummaryArguments& arguments) {
  const ModelSession opened = open_model(arguments.model);
  const std::vector<std::int64_t> size = input_size(arguments, opened.session);
  const infer::ModelSummary summary = infer::summarise(*opened.model, size[0], size[1], size[2]);
  print(arguments.json ? json_text(summary) : table_text(summary));
  return 0;
}

}  // namespace kinema::app
