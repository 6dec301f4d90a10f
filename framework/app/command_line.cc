#include "framework/app/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <functional>
#include <memory>

#include "framework/app/command.h"
#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/usage.h"
#include "kinema/version.h"

namespace kinema::app {
namespace {

void add_model(CLI::App* app, ModelArguments& model) {
  add_experiment(app, model.experiment, false);
  app->add_option("--preset", model.preset, "a model preset instead of an experiment file");
  app->add_option("--classes", model.classes, "number of classes, with --preset")->check(positive_number());
}

void add_run_commands(CLI::App& app, const std::vector<std::string>& words, Chosen& chosen) {
  Command<TrainArguments> train_command(app, "train", "train the model of an experiment", train, chosen);
  auto& t = *train_command.arguments;
  t.command_line = words;
  add_experiment(train_command.app, t.experiment);
  train_command.app
      ->add_option("--resume", t.resume, "continue: the newest run, or the run or checkpoint named")
      ->expected(0, 1)
      ->default_str("");
  train_command.app->add_option("--dry-run", t.dry_run, "a few steps and a short evaluation, nothing kept")
      ->check(positive_number());

  Command<EvalArguments> eval_command(app, "eval", "evaluate a checkpoint", evaluate, chosen);
  auto& e = *eval_command.arguments;
  eval_command.app->add_option("target", e.target, "experiment file or checkpoint")->required();
  eval_command.app->add_option("overrides", e.overrides, "changes to the experiment");
  eval_command.app->add_option("--checkpoint", e.checkpoint,
                               "with an experiment file; default: its newest run's best");
  eval_command.app->add_option("--detections", e.detections, "writes AVA's csv of the scored boxes");
  eval_command.app->add_flag("--per-class", e.per_class, "recall, precision and F1 of each class");
  eval_command.app->add_option("--confusion", e.confusion, "file for the confusion matrix, .csv or .json");
  eval_command.app->add_flag("--json", e.json, "one JSON object on stdout");

  Command<PredictArguments> predict_command(app, "predict", "name the action in videos", predict, chosen);
  auto& p = *predict_command.arguments;
  predict_command.app->add_option("checkpoint", p.checkpoint, "checkpoint folder or file")->required();
  predict_command.app->add_option("videos", p.videos, "video files or folders")->required();
  predict_command.app->add_option("--top", p.top, "classes to show")->check(positive_number());
  predict_command.app->add_flag("--json", p.json, "one JSON object a line");

  Command<ConvertArguments> convert_command(
      app, "convert", "rewrite weights: another format, a model's names", convert, chosen);
  auto& c = *convert_command.arguments;
  convert_command.app->add_option("input", c.input, "checkpoint, .safetensors, .pth, .pt or .pyth")
      ->required();
  convert_command.app->add_option("output", c.output, ".safetensors, .pth, .pt or .pyth")->required();
  add_model(convert_command.app, c.model);
  convert_command.app->add_flag("--lenient", c.lenient, "take what fits a model, leave the rest as drawn");
  convert_command.app->add_option("--inflation", c.inflation, "of kernels of images: mean or centre")
      ->check(one_of({"mean", "centre"}));

  Command<DemoArguments> demo_command(app, "demo", "make small clips and train on them", demo, chosen);
  demo_command.app->add_option("--eject", demo_command.arguments->eject,
                               "leave clips and experiment file in a folder");
}

void add_look_commands(CLI::App& app, Chosen& chosen) {
  Command<ExperimentArguments> check_command(app, "check", "check an experiment without running it", check,
                                             chosen);
  add_experiment(check_command.app, *check_command.arguments);

  Command<ListArguments> list_command(app, "list", "list the components that are found", list, chosen);
  list_command.app->add_option("kind", list_command.arguments->kind, "model, dataset, loss, ...");
  list_command.app->add_flag("--json", list_command.arguments->json, "JSON on stdout");

  Command<DescribeArguments> describe_command(app, "describe", "show the options of a component", describe,
                                              chosen);
  describe_command.app->add_option("kind", describe_command.arguments->kind, "model, dataset, loss, ...")
      ->required();
  describe_command.app->add_option("name", describe_command.arguments->name, "its type")->required();
  describe_command.app->add_flag("--json", describe_command.arguments->json, "JSON on stdout");

  CLI::App* config = app.add_subcommand("config", "look at configurations")->require_subcommand(1);
  Command<ConfigShowArguments> show_command(*config, "show", "print the resolved experiment", config_show,
                                            chosen);
  add_experiment(show_command.app, show_command.arguments->experiment);
  show_command.app->add_flag("--origin", show_command.arguments->origin, "say where each value came from");
}

void add_handles(CLI::App& app, Chosen& chosen) {
  CLI::App* model = app.add_subcommand("model", "look at and run models")->require_subcommand(1);
  Command<ModelSummaryArguments> summary(*model, "summary", "layers, parameters, multiply-adds",
                                         model_summary, chosen);
  add_model(summary.app, summary.arguments->model);
  summary.app->add_option("--input", summary.arguments->input, "frames, height, width")
      ->expected(3)
      ->delimiter(',')
      ->check(positive_number());
  summary.app->add_flag("--memory", summary.arguments->memory, "what training takes, too");
  summary.app
      ->add_option("--budget-gb", summary.arguments->budget_gb, "the largest batch within so many GB, too")
      ->check(CLI::PositiveNumber);
  summary.app->add_flag("--json", summary.arguments->json, "JSON on stdout");

  Command<ModelRunArguments> run(*model, "run", "run a model on tensors from a file", model_run, chosen);
  auto& r = *run.arguments;
  add_model(run.app, r.model);
  run.app->add_option("--weights", r.weights, "checkpoint, .safetensors or .pth");
  run.app->add_option("--input", r.input, "safetensors with rgb, flow, boxes")->required();
  run.app->add_option("--output", r.output, "safetensors to write")->required();
  run.app->add_option("--dtype", r.dtype, "float32 or float64")->check(one_of({"float32", "float64"}));
  run.app
      ->add_option("--train-loss", r.train_loss, "train mode: cross entropy with this label, and gradients")
      ->check(whole_number());

  add_data_commands(*app.add_subcommand("data", "look at data")->require_subcommand(1), chosen);

  CLI::App* metrics = app.add_subcommand("metrics", "official evaluations of files")->require_subcommand(1);
  Command<MetricsAvaArguments> ava(*metrics, "ava", "frame mAP@0.5 of boxes with actions", metrics_ava,
                                   chosen);
  auto& m = *ava.arguments;
  ava.app->add_option("--ground-truth", m.ground_truth, "csv: video,second,x1,y1,x2,y2,action,person")
      ->required();
  ava.app->add_option("--detections", m.detections, "csv: video,second,x1,y1,x2,y2,action,score")->required();
  ava.app->add_option("--labels", m.labels, "label map (pbtxt): the classes that count")->required();
  ava.app->add_option("--exclusions", m.exclusions, "csv: video,second of frames to leave out");
  ava.app->add_option("--rule", m.rule, "official or slowfast")->check(one_of({"official", "slowfast"}));
  ava.app->add_flag("--json", m.json, "JSON on stdout");
}

}  // namespace

void add_experiment(CLI::App* app, ExperimentArguments& experiment, bool required) {
  app->add_option("experiment", experiment.file, "experiment file (TOML)")->required(required);
  app->add_option("overrides", experiment.overrides,
                  "changes: model.depth=50, plugins+=dir, ~scheduler.warmup_epochs");
}

int run_command_line(int argc, char** argv) {
  CLI::App app("kinema: trains, evaluates and runs video models from one TOML file", "kinema");
  app.set_version_flag("--version", "kinema " KINEMA_SDK_VERSION);
  app.require_subcommand(1);
  Chosen chosen;
  add_run_commands(app, std::vector<std::string>(argv, argv + argc), chosen);
  add_look_commands(app, chosen);
  add_handles(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : report_parse_error(app, error);
  }
  return guarded(chosen);
}

}  // namespace kinema::app
