#include <fmt/format.h>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/json_text.h"
#include "framework/app/session.h"
#include "framework/infer/predict.h"
#include "framework/infer/trained_model.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

void print_json(const infer::VideoPrediction& prediction) {
  nlohmann::ordered_json json = {{"video", prediction.video}};
  json["top"] = nlohmann::ordered_json::array();
  for (const infer::ClassScore& best : prediction.top)
    json["top"].push_back({{"class", best.name}, {"score", best.score}});
  if (prediction.top.empty()) json["problem"] = prediction.problem;
  print(json_line(json));
}

void print_table(const infer::VideoPrediction& prediction) {
  print(prediction.video);
  for (const infer::ClassScore& best : prediction.top)
    print(fmt::format("  {:>6.1f} %  {}", best.score * 100, best.name));
}

// Throws Error(data) with the list of those that could not be read.
void check_all_read(const std::vector<infer::VideoPrediction>& predictions) {
  std::string list;
  std::size_t read = 0;
  for (const infer::VideoPrediction& prediction : predictions) {
    if (prediction.top.empty())
      list += "\n  " + prediction.video + ": " + prediction.problem;
    else
      ++read;
  }
  if (!list.empty())
    throw Error(ErrorKind::data, "predict",
                fmt::format("some videos could not be read: expected {}, got {}; the others:{}",
                            predictions.size(), read, list));
}

}  // namespace

int predict(const PredictArguments& arguments) {
  const infer::StoredModel stored = infer::read_stored_model(arguments.checkpoint);
  Session session = open_session(stored.experiment, {});
  session.experiment.trainer.limit_eval.reset();  // it was meant for the run's own evaluations
  session.experiment.loader.shards.reset();       // and these for its data sets
  session.experiment.loader.cache = {};           // the folder may be on another machine
  const eval::Workshop workshop{session.experiment, *session.registry, stored.classes, console_lines()};
  eval::EvaluationOptions options;
  options.device = eval::choose_device(session.experiment.trainer.device);
  const auto model = infer::load_model(stored, workshop, options.device);
  const auto files = infer::video_files(arguments.videos);
  const auto predictions =
      infer::predict(*model, workshop, files, static_cast<std::size_t>(arguments.top), options);
  for (const infer::VideoPrediction& prediction : predictions) {
    if (arguments.json) {
      print_json(prediction);
    } else if (!prediction.top.empty()) {
      print_table(prediction);
    }
  }
  check_all_read(predictions);
  return 0;
}

}  // namespace kinema::app
