#include "framework/config/sections.h"

#include <algorithm>
#include <regex>

#include "framework/config/clip_keys.h"

namespace kinema::config {
namespace {

// A member of a base as the struct's own.
template <class M>
M ModelSection::*own(M WeightsOptions::*member) {
  return member;
}

// The run folder is named by it.
Check folder_name() {
  Check check;
  check.expected = "a name without slashes and control characters that does not begin with a dot or a dash";
  check.accepts = [](const Value& value) {
    const std::string& name = value.as_string();
    return !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
           std::none_of(name.begin(), name.end(),
                        [](unsigned char c) { return c == '/' || c == '\\' || c < 0x20 || c == 0x7f; });
  };
  return check;
}

Options<CacheOptions> cache_options() {
  using O = CacheOptions;
  Options<O> o;
  o.add_enum("store", &O::store,
             "where decoded frames are kept: nowhere, in shared memory, in files of a folder",
             {{"none", FrameStore::none}, {"memory", FrameStore::memory}, {"disk", FrameStore::disk}});
  o.add("folder", &O::folder, "disk: a folder for the cache alone, on a disk of this machine");
  o.add("budget_gb", &O::budget_gb, "1e9 bytes that all processes together may keep", between(0.001, 1e6));
  o.add("short_side", &O::short_side, "frames with a longer short side are kept at this size; 0: as they are",
        between(0, 8192));
  return o;
}

Options<LoaderOptions> loader_options() {
  using O = LoaderOptions;
  Options<O> o;
  o.add("batch", &O::batch, "clips per rank and micro-batch; excludes global_batch", between(1, 65536));
  o.add("global_batch", &O::global_batch, "clips per optimizer step over all ranks and accumulation steps",
        between(1, 1 << 24));
  o.add("eval_batch", &O::eval_batch, "clips per rank in evaluation; 0: as batch", between(0, 65536));
  o.add("workers", &O::workers,
        "decoding threads, 0: the training thread itself, or \"auto\": as many as the measured work needs",
        between(0, 1024));
  o.add("prefetch", &O::prefetch, "finished batches that may wait", between(1, 1024));
  o.add("shuffle", &O::shuffle, "a new order each epoch");
  o.add("drop_last", &O::drop_last, "leave out the short last batch of an epoch");
  o.add("repeated", &O::repeated, "times that each item stands in a batch, drawn anew each time",
        between(1, 1024));
  o.add_enum("balance", &O::balance,
             "which items an epoch has: all, as many of each class, or each as often as its weight says",
             {{"none", Balance::none}, {"class", Balance::by_class}, {"weight", Balance::by_weight}});
  o.add("max_bad_fraction", &O::max_bad_fraction, "broken training videos that are tolerated, of an epoch's",
        between(0, 1));
  o.add_table("cache", &O::cache, "decoded frames that are kept", cache_options());
  o.add("shards", &O::shards,
        "folder that `kinema data shard` wrote: videos are read from it, not from their files", not_empty());
  o.add(
      "stuck_seconds", &O::stuck_seconds,
      "a decoding thread that works on one item for so long is given up, its file put aside; the third ends "
      "the run",
      between(0.1, 86400));
  return o;
}

Options<EvalOptions> eval_options() {
  using O = EvalOptions;
  Options<O> o;
  o.add_enum("views", &O::views, "how the scores of an item's views become the item's",
             {{"mean", ViewMerge::mean}, {"sum", ViewMerge::sum}, {"max", ViewMerge::max}});
  o.add_enum(
      "scores", &O::scores,
      "of a view; auto: the model's own, else sigmoid where targets are vectors of 0s and 1s, else softmax",
      {{"auto", ScoreKind::automatic},
       {"softmax", ScoreKind::softmax},
       {"sigmoid", ScoreKind::sigmoid},
       {"logits", ScoreKind::logits}});
  return o;
}

Check regular_expression() {
  Check check;
  // The standard library compiles by recursion: a long expression would overflow the stack.
  constexpr std::size_t kLongest = 1000;
  check.expected = "a regular expression (ECMAScript) of at most 1000 bytes";
  check.accepts = [](const Value& value) {
    if (value.as_string().size() > kLongest) return false;
    try {
      std::regex(value.as_string());
    } catch (const std::regex_error&) {
      return false;
    }
    return !value.as_string().empty();
  };
  return check;
}

Options<ModelSection> model_options() {
  using O = ModelSection;
  Options<O> o;
  o.rest(&O::component);
  o.add("weights", own(&O::weights), "checkpoint folder or file to start from: kinema's, .safetensors, .pth",
        not_empty());
  o.add("strict", own(&O::strict), "false: load the weights that fit, leave the others as drawn");
  o.add_enum("inflation", own(&O::inflation), "how kernels of an image network become kernels over time",
             {{"mean", Inflation::mean}, {"centre", Inflation::centre}});
  o.add("freeze", own(&O::freeze), "parameters that do not learn: regular expressions found in their names",
        each(regular_expression()));
  o.add("freeze_norm", own(&O::freeze_norm), "batch norms use their running statistics in training too");
  o.check([](const O& model) {
    std::vector<std::string> wrong;
    if (!model.weights && !model.strict)
      wrong.push_back("strict without weights: expected weights = \"FILE\" beside it, got none");
    if (!model.weights && model.inflation != Inflation::mean)
      wrong.push_back("inflation without weights: expected weights = \"FILE\" beside it, got none");
    return wrong;
  });
  return o;
}

Options<GroupOptions> group_options() {
  using O = GroupOptions;
  Options<O> o;
  o.add("parameters", &O::parameters, "regular expression found in their names", regular_expression())
      .required();
  o.add("lr_scale", &O::lr_scale, "times the learning rate", at_least(0));
  o.add("weight_decay_scale", &O::weight_decay_scale, "times the weight decay", at_least(0));
  return o;
}

Options<OptimizerSection> optimizer_options() {
  using O = OptimizerSection;
  Options<O> o;
  o.rest(&O::component);
  o.add("lr", &O::lr, "learning rate", at_least(0));
  o.add("base_batch", &O::base_batch, "scales lr by batch x accumulate x ranks / base_batch", at_least(1));
  o.add("weight_decay", &O::weight_decay, "decay of the weights", at_least(0));
  o.add("decay_norm_and_bias", &O::decay_norm_and_bias, "false: no decay of norm layers and biases");
  o.add_tables("group", &O::groups, "parameters with rates of their own; the last that matches counts",
               group_options());
  return o;
}

Options<SchedulerSection> scheduler_options() {
  using O = SchedulerSection;
  Options<O> o;
  o.rest(&O::component);
  o.add("warmup_epochs", &O::warmup_epochs, "epochs of linear warm-up", at_least(0));
  o.add("warmup_start", &O::warmup_start, "factor at step 0", between(0, 1));
  return o;
}

Options<MixOptions> mix_options() {
  using O = MixOptions;
  Options<O> o;
  o.add("mixup", &O::mixup, "adds clips: alpha of the Beta distribution of their shares; 0: off",
        at_least(0));
  o.add("cutmix", &O::cutmix, "cuts windows of clips into others: the same; 0: off", at_least(0));
  o.add("probability", &O::probability, "share of the batches that are mixed", between(0, 1));
  o.add("cutmix_share", &O::cutmix_share, "share of cutmix where both are on", between(0, 1));
  o.check([](const O& mix) {
    const bool off = mix.mixup == 0 && mix.cutmix == 0;
    std::vector<std::string> wrong;
    if (off && (mix.probability != O{}.probability || mix.cutmix_share != O{}.cutmix_share))
      wrong.push_back("nothing is mixed: expected mixup or cutmix above 0 beside these keys, got neither");
    return wrong;
  });
  return o;
}

Options<TrainerOptions> trainer_options() {
  using O = TrainerOptions;
  Options<O> o;
  o.add("epochs", &O::epochs, "passes over the training data", between(1, 1000000));
  o.add("max_steps", &O::max_steps, "stop after so many optimizer steps", at_least(1));
  o.add("limit_train", &O::limit_train, "micro-batches an epoch", at_least(1));
  o.add("limit_eval", &O::limit_eval, "items an evaluation", at_least(1));
  o.add("overfit_batches", &O::overfit_batches,
        "train on the same first batches again and again, prepared as in eval; 0: off; excludes limit_train",
        at_least(0));
  o.add("accumulate", &O::accumulate,
        "micro-batches an optimizer step: the gradient of one batch of all their clips, but for batch norm",
        between(1, 65536));
  o.add("clip_grad_norm", &O::clip_grad_norm, "largest norm of the gradient", above(0));
  o.add_enum("precision", &O::precision, "of the forward and backward pass",
             {{"fp32", Precision::fp32}, {"bf16", Precision::bf16}});
  o.add_enum("device", &O::device, "where the model runs",
             {{"auto", Device::automatic}, {"cpu", Device::cpu}, {"cuda", Device::cuda}});
  o.add("eval_every", &O::eval_every, "epochs between evaluations; 0: never", at_least(0));
  o.add("monitor", &O::monitor, "metric that chooses the best checkpoint", not_empty());
  o.add_enum("mode", &O::mode,
             "whether a higher or lower monitor is better; default: min for names that end in loss or error",
             {{"max", MonitorMode::max}, {"min", MonitorMode::min}});
  o.add("threads", &O::threads, "compute threads; default: all cores", between(1, 4096));
  o.add("log_every", &O::log_every, "steps between lines of metrics.jsonl", at_least(1));
  return o;
}

Options<CheckpointOptions> checkpoint_options() {
  using O = CheckpointOptions;
  Options<O> o;
  o.add("every_epochs", &O::every_epochs, "0: only at the end", at_least(0));
  o.add("every_steps", &O::every_steps, "optimizer steps between checkpoints", at_least(1));
  o.add("every_minutes", &O::every_minutes, "minutes between checkpoints", above(0));
  o.add("keep", &O::keep, "newest regular ones that stay; best and named ones stay besides", at_least(1));
  return o;
}

Options<ExperimentFile> file_options() {
  using F = ExperimentFile;
  Options<F> o;
  o.add("name", &F::name, "of the run's folder", folder_name());
  o.add("seed", &F::seed, "of every random choice");
  o.add("runs_dir", &F::runs_dir, "folder of the run folders", not_empty());
  o.add("plugins", &F::plugins, "folders or files of plugin libraries, searched first", each(not_empty()));
  o.add_table("model", &F::model, "the network", model_options()).required();
  o.add_table("data", &F::data, "the data sets",
              Options<DataSection>()
                  .add("train", &DataSection::train, "data set to learn from")
                  .required()
                  .add("val", &DataSection::val, "data set to evaluate on"))
      .required();
  o.add_table(
      "clip", &F::clip, "geometry of a clip; [clip.train] and [clip.eval] override it",
      Options<ClipSection>()
          .add_table("train", &ClipSection::train, "in training", clip_options(true, false))
          .add_table("eval", &ClipSection::eval, "in evaluation and prediction", clip_options(false, true)));
  o.add_table("transform", &F::transform, "replaces the default list of augmentations",
              Options<TransformSection>()
                  .add("train", &TransformSection::train, "in training, in order")
                  .add("eval", &TransformSection::eval, "in evaluation and prediction, in order"));
  o.add_table("loader", &F::loader, "batches and decoding threads", loader_options());
  o.add_table("eval", &F::eval, "scores of items with several views", eval_options());
  o.add("loss", &F::loss, "what is minimised");
  o.add_table("optimizer", &F::optimizer, "how weights follow gradients", optimizer_options());
  o.add_table("scheduler", &F::scheduler, "how the learning rate changes", scheduler_options());
  o.add_table("trainer", &F::trainer, "the loop", trainer_options());
  o.add_table("checkpoint", &F::checkpoint, "when checkpoints are written", checkpoint_options());
  o.add_table("mix", &F::mix, "training batches whose clips are mixed with one another", mix_options());
  o.add_table("distributed", &F::distributed, "several ranks",
              Options<DistributedOptions>().add("sync_batch_norm", &DistributedOptions::sync_batch_norm,
                                                "batch norm statistics over all ranks"));
  o.add("callback", &F::callback, "what happens besides, in order");
  o.add("metric", &F::metric, "metrics besides the built-in ones");
  return o;
}

}  // namespace

const OptionTable& file_table() {
  static const OptionTable table = file_options().table();
  return table;
}

const OptionTable& clip_table() {
  static const OptionTable table = clip_options(true, true).table();
  return table;
}

const OptionTable& clip_table(const std::string& use) {
  return *file_table().find("clip")->type.nested->find(use)->type.nested;
}

const std::vector<Section>& sections() {
  static const std::vector<Section> all = [] {
    std::vector<Section> list{{"", "top of the file", &file_table()}};
    for (const Option& option : file_table().options()) {
      if (option.name == "clip") {
        list.push_back({option.name, option.help, &clip_table()});
        for (const Option& use : option.type.nested->options())
          list.push_back({"clip." + use.name, use.help, &clip_table(use.name)});
      } else if (option.type.form == OptionType::Form::table) {
        list.push_back({option.name, option.help, option.type.nested.get()});
      }
    }
    return list;
  }();
  return all;
}

}  // namespace kinema::config
