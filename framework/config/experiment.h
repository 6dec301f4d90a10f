#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/config/layers.h"
#include "kinema/callback.h"
#include "kinema/component.h"
#include "kinema/dataset.h"
#include "kinema/metric.h"
#include "kinema/options.h"
#include "kinema/scheduler.h"
#include "kinema/transform.h"

// One experiment file as plain structs: each section is declared once with Options<T> (experiment.cc), which
// gives parsing, checking, `config show` and the reference page.
namespace kinema {
class Catalog;
}  // namespace kinema

namespace kinema::config {

// Components whose SDK headers include torch are named by a tag here, so that this room stays torch-free.
struct ModelTag {
  static constexpr std::string_view kKind = "model";
};
struct LossTag {
  static constexpr std::string_view kKind = "loss";
};
struct OptimizerTag {
  static constexpr std::string_view kKind = "optimizer";
};

enum class Sampling { random, center, uniform, dense, segments };
// Whose arithmetic picks the frames of a clip, see data/temporal.h.
enum class FrameRule { kinema, pyslowfast, pyslowfast_offset, resnets3d };
// What stands in for frames beyond the end of the video: its last one, or the video from its start.
enum class Beyond { last, loop };
// Which training items an epoch has, see data/item_order.h.
enum class Balance { none, by_class, by_weight };
// What a model's logits become before views are put together, and how they are.
enum class ScoreKind { automatic, softmax, sigmoid, logits };
enum class ViewMerge { mean, sum, max };
enum class Device { automatic, cpu, cuda };
enum class Precision { fp32, bf16 };
enum class MonitorMode { max, min };
// How a kernel of an image network becomes one over time: repeated and divided by the number of frames
// (Carreira and Zisserman 2017), or in the middle frame with zeros around it.
enum class Inflation { mean, centre };

// [clip]: geometry of a clip. [clip.train] and [clip.eval] override it key by key.
struct ClipOptions {
  std::int64_t frames = 16;
  std::int64_t stride = 2;
  std::optional<double> fps;         // resample to this rate; stride then counts at this rate
  std::optional<Sampling> sampling;  // default: random in train; centre (1 view) or uniform in eval
  FrameRule rule = FrameRule::kinema;
  Beyond beyond = Beyond::last;
  std::int64_t window = 64;              // dense: frames that the clip is spread over
  std::int64_t clips_per_video = 1;      // train: draws of each video an epoch
  std::vector<std::int64_t> resize;      // [height, width] exactly; excludes short_side
  std::vector<std::int64_t> short_side;  // one number, or [low, high] for scale jitter in train
  std::int64_t crop = 112;               // square side
  bool flip = true;                      // train: mirror half of the clips
  std::vector<std::vector<std::string>>
      flip_labels;                  // train: pairs of classes that change places in a mirror
  std::int64_t temporal_views = 1;  // eval
  std::int64_t spatial_crops = 1;   // eval: 1 or 3
  std::vector<double> mean = {0.45, 0.45, 0.45};
  std::vector<double> std = {0.225, 0.225, 0.225};
  std::vector<double> flow_mean = {0.5, 0.5};  // of optical flow: right, down
  std::vector<double> flow_std = {0.5, 0.5};
};

// Where decoded frames are kept for the next time, see data/frame_cache.h.
enum class FrameStore { none, memory, disk };

// [loader.cache]
struct CacheOptions {
  FrameStore store = FrameStore::none;
  std::optional<std::filesystem::path> folder;  // disk: needed; memory: none
  double budget_gb = 8;                         // 1e9 bytes, of all processes that use it
  std::int64_t short_side = 0;                  // larger frames are kept at this size; 0: as they are
};

struct LoaderOptions {
  std::int64_t batch = 8;  // clips per rank and micro-batch; with global_batch: see micro_batch()
  std::optional<std::int64_t> global_batch;  // exclusive with batch: over all ranks and accumulation steps
  std::int64_t eval_batch = 0;               // 0: as batch
  std::optional<std::int64_t> workers;       // threads; "auto": measured, from cores - 1
  std::int64_t prefetch = 2;                 // finished batches that may wait
  bool shuffle = true;
  bool drop_last = true;
  std::int64_t repeated = 1;  // times that each item stands in a batch, drawn anew each time
  Balance balance = Balance::none;
  double max_bad_fraction = 0.01;  // of the training items seen in an epoch
  CacheOptions cache;
  std::optional<std::filesystem::path> shards;  // folder of `kinema data shard` that videos are read from
  double stuck_seconds = 240;  // a decoding thread that works on one item for so long is given up
};

// [eval]: how the views of an item become its scores.
struct EvalOptions {
  ViewMerge views = ViewMerge::mean;
  ScoreKind scores = ScoreKind::automatic;
};

// What [model] says besides the network itself: where its weights come from and which of them learn.
struct WeightsOptions {
  std::optional<std::filesystem::path> weights;  // a checkpoint or a file of weights to start from
  bool strict = true;                            // false: take what fits
  Inflation inflation = Inflation::mean;
  std::vector<std::string> freeze;  // parameters that do not learn: regular expressions found in their names
  bool freeze_norm = false;         // every batch norm uses its running statistics in training too
};

// Parameters with a learning rate or weight decay of their own.
struct GroupOptions {
  std::string parameters;  // regular expression found in their names
  double lr_scale = 1;
  double weight_decay_scale = 1;
};

// [mix]: training batches whose clips are mixed with one another, see train/mix.h. 0: off.
struct MixOptions {
  double mixup = 0, cutmix = 0;  // alpha of the Beta distribution of the shares
  double probability = 1;        // of a batch to be mixed
  double cutmix_share = 0.5;     // of the mixed batches, where both are on
};

struct OptimizerSection {
  Component<OptimizerTag> component = {.type = "sgd"};  // type and its own keys
  double lr = 0.1;
  std::optional<std::int64_t> base_batch;  // linear scaling: lr x (batch x accumulate x world) / base_batch
  double weight_decay = 0;
  bool decay_norm_and_bias = true;   // false: no weight decay on 1-D parameters
  std::vector<GroupOptions> groups;  // the last one that matches a parameter counts
};

struct SchedulerSection {
  Component<Scheduler> component;  // no type: a constant learning rate
  double warmup_epochs = 0;
  double warmup_start = 0.1;  // factor at step 0, rising linearly to the schedule's own value
};

struct TrainerOptions {
  std::int64_t epochs = 1;
  std::optional<std::int64_t> max_steps;    // optimizer steps
  std::optional<std::int64_t> limit_train;  // micro-batches an epoch
  std::optional<std::int64_t> limit_eval;   // items an evaluation
  std::int64_t overfit_batches = 0;         // > 0: the same first batches again and again, no augmentation
  std::int64_t accumulate = 1;
  std::optional<double> clip_grad_norm;
  Precision precision = Precision::fp32;
  Device device = Device::automatic;
  std::int64_t eval_every = 1;          // epochs; 0: never
  std::string monitor = "val/top1";     // chooses `best`; train/loss where nothing is evaluated
  std::optional<MonitorMode> mode;      // default: what its name says (kinema/metric.h)
  std::optional<std::int64_t> threads;  // of torch; default: all cores
  std::int64_t log_every = 10;          // steps
};

struct DistributedOptions {
  bool sync_batch_norm = false;  // batch norm statistics over all ranks
};

struct CheckpointOptions {
  std::int64_t every_epochs = 1;  // 0: only at the end
  std::optional<std::int64_t> every_steps;
  std::optional<double> every_minutes;
  std::int64_t keep = 3;  // newest regular ones; best and named ones are kept besides
};

struct Experiment {
  std::string name = "run";
  std::uint64_t seed = 1;
  std::filesystem::path runs_dir = "runs";
  std::vector<std::filesystem::path>
      plugins;  // folders or files, before KINEMA_PLUGIN_PATH and the built-in folder
  Component<ModelTag> model;
  WeightsOptions start;               // the other keys of [model]
  Component<Dataset> train_data;      // [data.train]
  Component<Dataset> eval_data;       // [data.val]; may be absent where trainer.eval_every is 0
  ClipOptions train_clip, eval_clip;  // [clip] with the overrides merged in
  std::optional<std::vector<Component<Transform>>> train_transforms;  // given: replaces the default list
  std::optional<std::vector<Component<Transform>>> eval_transforms;
  LoaderOptions loader;
  EvalOptions eval;
  Component<LossTag> loss = {.type = "cross_entropy"};
  OptimizerSection optimizer;
  SchedulerSection scheduler;
  TrainerOptions trainer;
  CheckpointOptions checkpoint;
  DistributedOptions distributed;
  MixOptions mix;
  std::vector<Component<Callback>> callbacks;
  std::vector<Component<Metric>> metrics;  // besides the built-in top1, top5, mean_class

  // Everything that was said and every default, paths absolute, presets merged, with origins: runs again as
  // it is. show.h writes it.
  Value resolved;
};

// Checks the merged layers against the sections and, with a catalog, every component against its own options;
// throws Error(usage) with all problems, those of the layers included, in the order of the files.
// `metric_names` are names beyond the built-in ones that a monitor may take ("val/my_metric"); a monitor is
// not checked where the file names [[metric]] components and the list is empty: the names are then known only
// when those have been made (see monitor.h).
Experiment parse_experiment(const Layers& layers, const Catalog* catalog,
                            const std::vector<std::string>& metric_names = {});

// Clips per rank and micro-batch: `batch`, or global_batch / (accumulate x world); throws Error(usage) when
// that is not whole.
std::int64_t micro_batch(const Experiment& experiment, int world);

}  // namespace kinema::config
