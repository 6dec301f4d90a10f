#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// One function a command: arguments as plain values in, exit code out. Results go to stdout, everything else
// to stderr. Errors leave as kinema::Error; main() prints them once.
namespace kinema::app {

// An experiment file and what the command line changes in it ("model.depth=50").
struct ExperimentArguments {
  std::string file;
  std::vector<std::string> overrides;
};

struct TrainArguments {
  ExperimentArguments experiment;
  std::optional<std::string> resume;  // empty: the newest run of this name; else a run or checkpoint folder
  std::int64_t dry_run = 0;           // steps; 0: a real run
  std::vector<std::string> command_line;  // as it was given, for the run folder
};
int train(const TrainArguments& arguments);

struct EvalArguments {
  std::string target;  // an experiment file or a checkpoint
  std::vector<std::string> overrides;
  std::string checkpoint;  // with an experiment file; empty: the newest run's best
  std::string detections;  // file for the scored boxes of a set with boxes; empty: none
  bool per_class = false;
  std::string confusion;  // file for the confusion matrix, .csv or .json; empty: none
  bool json = false;
};
int evaluate(const EvalArguments& arguments);

struct PredictArguments {
  std::string checkpoint;
  std::vector<std::string> videos;  // files or folders
  std::int64_t top = 5;
  bool json = false;
};
int predict(const PredictArguments& arguments);

int check(const ExperimentArguments& arguments);

struct ListArguments {
  std::string kind;  // empty: all
  bool json = false;
};
int list(const ListArguments& arguments);

struct DescribeArguments {
  std::string kind, name;
  bool json = false;
};
int describe(const DescribeArguments& arguments);

struct ConfigShowArguments {
  ExperimentArguments experiment;
  bool origin = false;
};
int config_show(const ConfigShowArguments& arguments);

struct DemoArguments {
  std::string eject;  // folder to leave clips and experiment file in; empty: run the demo
};
int demo(const DemoArguments& arguments);

// Which model: an experiment's, or a preset with a number of classes.
struct ModelArguments {
  ExperimentArguments experiment;  // file empty: preset
  std::string preset;
  std::int64_t classes = 400;
};

struct ModelSummaryArguments {
  ModelArguments model;
  std::vector<std::int64_t> input;  // T, H, W; empty: of [clip], else 16, 112, 112
  bool memory = false;              // of training, too
  std::optional<double> budget_gb;  // the same, and the largest batch within it
  bool json = false;
};
int model_summary(const ModelSummaryArguments& arguments);

struct ModelRunArguments {
  ModelArguments model;
  std::string weights, input, output;
  std::string dtype = "float32";
  std::optional<std::int64_t> train_loss;  // label of every sample
};
int model_run(const ModelRunArguments& arguments);

struct ConvertArguments {
  std::string input, output;
  ModelArguments model;  // neither file nor preset: names and shapes stay
  bool lenient = false;  // take what fits
  std::string inflation = "mean";
};
int convert(const ConvertArguments& arguments);

struct DataClipArguments {
  ExperimentArguments experiment;
  std::string split = "train";
  std::int64_t index = 0, epoch = 0, view = 0;
  std::string stage = "final";
  std::string output;
};
int data_clip(const DataClipArguments& arguments);

// A folder, a list of files, or an experiment file with changes.
struct DataTarget {
  std::string path;
  std::vector<std::string> overrides;
};

// A plan of clips, or an experiment, whose training loader is measured.
struct DataBenchArguments {
  DataTarget target;
  std::int64_t threads = 1;
  std::int64_t epochs = 1;
  bool floats = false, check = false, json = false;
};
int data_bench(const DataBenchArguments& arguments);

struct DataCheckArguments {
  DataTarget target;
  std::int64_t threads = 0;  // 0: one a core
  bool quick = false;        // the index of a file alone
  bool all = false;          // good files too
  bool json = false;
};
int data_check(const DataCheckArguments& arguments);

struct DataStatsArguments {
  ExperimentArguments experiment;
  std::string split;          // empty: all
  std::int64_t pixels = 256;  // frames for mean and deviation
  std::int64_t threads = 0;
  bool json = false;
};
int data_stats(const DataStatsArguments& arguments);

struct DataSubsetArguments {
  ExperimentArguments experiment;
  std::string split = "train";
  std::optional<double> fraction, representative;
  std::optional<std::int64_t> per_class;
  std::int64_t seed = 1;
  std::string output;
};
int data_subset(const DataSubsetArguments& arguments);

struct DataTranscodeArguments {
  DataTarget target;
  std::string output;
  std::optional<double> fps;               // empty: every frame, at the file's own rate
  std::optional<std::int64_t> short_side;  // empty: the file's own
  std::int64_t gop = 16;
  std::optional<std::int64_t> quality;
  std::int64_t threads = 0;
};
int data_transcode(const DataTranscodeArguments& arguments);

struct DataShardArguments {
  DataTarget target;
  std::string output;
  std::optional<double> fps;  // empty: every frame, at the file's own rate
  std::int64_t short_side = 256;
  std::int64_t gop = 12;
  std::optional<std::int64_t> quality;
  std::int64_t shard_mb = 256;
  std::int64_t threads = 0;
};
int data_shard(const DataShardArguments& arguments);

struct DataBrowseArguments {
  ExperimentArguments experiment;
  std::string split = "train";
  std::int64_t items = 4;
  std::int64_t epoch = 0;
  bool stages = false;
  std::string output;
};
int data_browse(const DataBrowseArguments& arguments);

struct DataFlowArguments {
  DataTarget target;
  std::string output;  // folder
  std::string method = "tvl1";
  double bound = 20;            // pixels
  std::int64_t short_side = 0;  // 0: frames as they are
  std::int64_t threads = 0;     // 0: all cores
  bool png = false;
};
int data_flow(const DataFlowArguments& arguments);

struct MetricsAvaArguments {
  std::string ground_truth, detections, labels;
  std::string exclusions;  // empty: none
  std::string rule = "official";
  bool json = false;
};
int metrics_ava(const MetricsAvaArguments& arguments);

}  // namespace kinema::app
