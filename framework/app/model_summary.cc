#include <fmt/format.h>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/json_text.h"
#include "framework/app/session.h"
#include "framework/data/recipe.h"
#include "framework/eval/assembly.h"
#include "framework/infer/memory.h"
#include "framework/infer/summary.h"

namespace kinema::app {
namespace {

constexpr double kMega = 1e6, kGiga = 1e9;

// Frames, rows, columns.
std::vector<std::int64_t> input_size(const ModelSummaryArguments& arguments, const Session& session) {
  if (!arguments.input.empty()) return arguments.input;
  const eval::Workshop workshop{session.experiment, *session.registry, {}, console_lines()};
  const Size size = data::eval_size(session.experiment, eval::transform_maker(workshop));
  return {session.experiment.eval_clip.frames, size.height, size.width};
}

struct MemoryReport {
  infer::TrainingMemory memory;
  double budget_gb = 0;  // 0: not asked for
};

std::optional<MemoryReport> memory_of(const ModelSummaryArguments& arguments, const ModelSession& opened,
                                      const ClipBatch& input) {
  if (!arguments.memory && !arguments.budget_gb) return std::nullopt;
  const eval::Workshop workshop{opened.session.experiment, *opened.session.registry, {}, console_lines()};
  const auto optimizer = workshop.make<Optimizer>(opened.session.experiment.optimizer.component, "optimizer");
  return MemoryReport{infer::training_memory(*opened.model, *optimizer, input),
                      arguments.budget_gb.value_or(0)};
}

using Json = nlohmann::ordered_json;

std::string json_text(const infer::ModelSummary& summary, const std::optional<MemoryReport>& report) {
  Json json = {{"parameters", summary.parameters},
               {"multiply_adds", summary.multiply_adds},
               {"activation_bytes", summary.output_bytes}};
  json["layers"] = Json::array();
  for (const infer::LayerSummary& layer : summary.layers)
    json["layers"].push_back({{"path", layer.path},
                              {"type", layer.type},
                              {"output", layer.output},
                              {"output_bytes", layer.output_bytes},
                              {"parameters", layer.parameters},
                              {"multiply_adds", layer.multiply_adds}});
  if (report) {
    const infer::TrainingMemory& m = report->memory;
    json["memory"] = {{"parameters", m.parameters}, {"buffers", m.buffers}, {"gradients", m.gradients},
                      {"optimizer", m.optimizer},   {"passes", m.passes},   {"fixed", m.fixed()},
                      {"sample_saved", m.saved},    {"sample_peak", m.peak}};
    if (report->budget_gb > 0)
      json["memory"]["largest_batch"] = infer::largest_batch(m, report->budget_gb * kGiga);
  }
  return json_lines(json);
}

std::string table_text(const infer::ModelSummary& summary) {
  std::size_t width = 5;
  for (const infer::LayerSummary& layer : summary.layers) width = std::max(width, layer.path.size());
  std::string text = fmt::format("{:<{}}  {:<18} {:>12} {:>16} {:>9}  {}\n", "layer", width, "type",
                                 "parameters", "multiply-adds", "MB", "output");
  for (const infer::LayerSummary& layer : summary.layers)
    text += fmt::format("{:<{}}  {:<18} {:>12} {:>16} {:>9.2f}  {}\n", layer.path, width, layer.type,
                        layer.parameters, layer.multiply_adds,
                        static_cast<double>(layer.output_bytes) / kMega, fmt::join(layer.output, " x "));
  return text + fmt::format("total: {} parameters, {} multiply-adds, {:.1f} MB of activations",
                            summary.parameters, summary.multiply_adds,
                            static_cast<double>(summary.output_bytes) / kMega);
}

std::string memory_text(const MemoryReport& report) {
  const infer::TrainingMemory& m = report.memory;
  const auto row = [](const char* what, std::int64_t bytes) {
    return fmt::format("  {:<34} {:>10.1f}\n", what, static_cast<double>(bytes) / kMega);
  };
  std::string text = "training memory, MB (scratch inside oneDNN's kernels is not counted)\n";
  text += row("parameters", m.parameters) + row("buffers", m.buffers) + row("gradients", m.gradients) +
          row("optimizer", m.optimizer) + row("passes, whatever the batch", m.passes) +
          row("each sample, saved for backward", m.saved) + row("each sample, at the peak", m.peak);
  if (report.budget_gb > 0)
    text += fmt::format("largest batch in {} GB: {}\n", report.budget_gb,
                        infer::largest_batch(m, report.budget_gb * kGiga));
  return text;
}

}  // namespace

int model_summary(const ModelSummaryArguments& arguments) {
  const ModelSession opened = open_model(arguments.model);
  const std::vector<std::int64_t> size = input_size(arguments, opened.session);
  const ClipBatch input = infer::blank_input(size[0], size[1], size[2]);
  const infer::ModelSummary summary = infer::summarise(*opened.model, input);
  const std::optional<MemoryReport> report = memory_of(arguments, opened, input);
  print(arguments.json ? json_text(summary, report) : table_text(summary));
  if (report && !arguments.json) print(memory_text(*report));
  return 0;
}

}  // namespace kinema::app
