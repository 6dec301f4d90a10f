#pragma once

#include <string>
#include <vector>

#include "framework/config/experiment.h"
#include "kinema/options.h"

// How the file is laid out: one struct a table of the file, each declared once.
namespace kinema::config {

struct ModelSection : WeightsOptions {
  Component<ModelTag> component;
};

struct DataSection {
  Component<Dataset> train, val;
};

struct ClipSection {
  ClipOptions train, eval;
};

struct TransformSection {
  std::optional<std::vector<Component<Transform>>> train, eval;
};

// The whole file, [clip] already merged into its two uses.
struct ExperimentFile {
  std::string name = Experiment{}.name;
  std::uint64_t seed = Experiment{}.seed;
  std::filesystem::path runs_dir = Experiment{}.runs_dir;
  std::vector<std::filesystem::path> plugins;
  ModelSection model;
  DataSection data;
  ClipSection clip;
  TransformSection transform;
  LoaderOptions loader;
  EvalOptions eval;
  Component<LossTag> loss = Experiment{}.loss;
  OptimizerSection optimizer;
  SchedulerSection scheduler;
  TrainerOptions trainer;
  CheckpointOptions checkpoint;
  DistributedOptions distributed;
  MixOptions mix;
  std::vector<Component<Callback>> callback;
  std::vector<Component<Metric>> metric;
};

const OptionTable& file_table();
const OptionTable& clip_table();                        // [clip]: the keys of both uses
const OptionTable& clip_table(const std::string& use);  // [clip.train] or [clip.eval]

// Sections by name, for reference pages and for telling where a key belongs; "" is the top of the file.
struct Section {
  std::string name;
  std::string help;
  const OptionTable* table;
};
const std::vector<Section>& sections();

}  // namespace kinema::config
