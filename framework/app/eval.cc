#include <fmt/format.h>

#include <optional>

#include "framework/app/class_tables.h"
#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/json_text.h"
#include "framework/app/session.h"
#include "framework/checkpoint/store_names.h"
#include "framework/data/check.h"
#include "framework/data/recipe.h"
#include "framework/detection/box_table.h"
#include "framework/eval/compute_threads.h"
#include "framework/eval/evaluation.h"
#include "framework/infer/loss_state.h"
#include "framework/infer/trained_model.h"
#include "framework/tracking/run_file.h"
#include "framework/tracking/run_folder.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

bool is_experiment_file(const std::string& target) { return target.ends_with(".toml"); }

// The best checkpoint of an experiment's newest run.
std::string newest_best(const config::Experiment& experiment) {
  const auto run = tracking::latest_run(experiment.runs_dir.string(), experiment.name);
  if (!run)
    throw Error(ErrorKind::usage, "eval",
                fmt::format("no run of \"{}\" in {}: expected a run with a checkpoint, got none",
                            experiment.name, experiment.runs_dir.string()),
                "train first, or name one with --checkpoint");
  return *run + "/checkpoints/" + checkpoint::best_link_name(experiment.trainer.monitor);
}

struct Subject {
  Session session;
  infer::StoredModel stored;
};

Subject open_subject(const EvalArguments& arguments) {
  if (!is_experiment_file(arguments.target)) {
    if (!arguments.checkpoint.empty())
      throw Error(ErrorKind::usage, "command line",
                  "--checkpoint goes with an experiment file: expected one checkpoint, got two");
    infer::StoredModel stored = infer::read_stored_model(arguments.target);
    Session session = open_session(stored.experiment, arguments.overrides);
    return {std::move(session), std::move(stored)};
  }
  Session session = open_session(ExperimentArguments{arguments.target, arguments.overrides});
  const std::string path =
      arguments.checkpoint.empty() ? newest_best(session.experiment) : arguments.checkpoint;
  return {std::move(session), infer::read_stored_model(path)};
}

// Of every box a row for each class, at the moment of its video.
detection::BoxTable detections(const eval::EvaluationResult& result, const Dataset& dataset) {
  const std::vector<std::int64_t> ids = dynamic_cast<const HasBoxes&>(dataset).class_ids();
  detection::BoxTable table;
  for (const eval::Prediction& prediction : result.predictions) {
    const std::optional<KeyFrame> frame = dataset.item(prediction.index).key_frame;
    if (!frame)
      throw Error(
          ErrorKind::plugin, "data.val",
          fmt::format("item {} has no key frame: expected its video and second, got none", prediction.key));
    std::vector<detection::ScoredBox>& rows = table[{frame->video, frame->second}];
    const float* score = prediction.scores.data();
    for (const LabelledBox& box : prediction.boxes)
      for (const std::int64_t id : ids) rows.push_back({box.x1, box.y1, box.x2, box.y2, id, *score++});
  }
  return table;
}

void print_result(const eval::EvaluationResult& result, const eval::ClassTable& table,
                  const EvalArguments& arguments) {
  if (arguments.json) {
    nlohmann::ordered_json object = {
        {"items", result.items}, {"clips", result.clips}, {"unreadable", result.unreadable.size()}};
    for (const auto& [name, value] : result.metrics) object["val/" + name] = value;
    if (table.counted()) object["per_class"] = per_class_json(table);
    if (table.has_confusion()) object["confusion"] = confusion_json(table);
    return print(json_line(object));
  }
  for (const auto& [name, value] : result.metrics) print(fmt::format("val/{:<12} {:.4f}", name, value));
  const std::int64_t evaluated = result.clips - std::ssize(result.unreadable);
  print(fmt::format("{} items, {} of {} clips evaluated", result.items, evaluated, result.clips));
  if (arguments.per_class) print_per_class(table);
}

}  // namespace

int evaluate(const EvalArguments& arguments) {
  check_confusion_file(arguments.confusion);
  const Subject subject = open_subject(arguments);
  const config::Experiment& experiment = subject.session.experiment;
  eval::Workshop workshop{experiment, *subject.session.registry, {}, console_lines()};
  const auto dataset = eval::make_eval_set(workshop);
  if (!dataset)
    throw Error(ErrorKind::usage, "data.val", "missing section: expected a data set to evaluate, got none");
  data::check_classes_agree(subject.stored.classes, dataset->classes(), "checkpoint", "data.val");
  if (!arguments.detections.empty() && !data::detects(*dataset))
    throw Error(ErrorKind::usage, "--detections",
                "no boxes: expected a [data.val] with boxes, got " + experiment.eval_data.type);
  workshop.classes = subject.stored.classes;
  eval::set_compute_threads(experiment.trainer);
  eval::EvaluationOptions options;
  options.device = eval::choose_device(experiment.trainer.device);
  options.precision = experiment.trainer.precision;
  options.views = data::views_per_item(experiment.eval_clip);
  options.rule = eval::view_rule(experiment.eval, dataset.get());
  const auto model = infer::load_model(subject.stored, workshop, options.device);
  const auto loss = eval::make_loss(workshop, options.device);
  if (!infer::load_loss_state(subject.stored.weights.source, *loss))
    warn("val/loss is that of a fresh loss: no state of it beside " + subject.stored.weights.source);
  data::Loader loader(eval::eval_loader_setup(workshop, dataset));
  loader.start(0);
  auto metrics = eval::make_metrics(workshop, dataset.get());
  const auto table = std::make_shared<eval::ClassTable>(workshop.classes);
  metrics.push_back(table);
  const auto result = eval::evaluate(
      *model, loss.get(), [&] { return loader.next(); }, metrics, options);
  for (const data::ClipInfo& clip : result.unreadable) warn(fmt::format("{}: {}", clip.key, clip.problem));
  if (!arguments.detections.empty())
    tracking::write_atomically(arguments.detections, detection::detections_csv(detections(result, *dataset)));
  print_result(result, *table, arguments);
  if (!arguments.confusion.empty()) write_confusion(arguments.confusion, *table);
  return 0;
}

}  // namespace kinema::app
