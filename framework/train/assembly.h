#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/eval/assembly.h"
#include "framework/train/trainer.h"
#include "kinema/dataset.h"

// From the sections of an experiment to the parts of a training run.
namespace kinema::train {

// The experiment's data sets; `eval` is null without [data.val].
struct DataSets {
  std::shared_ptr<Dataset> train, eval;
  std::vector<std::string> classes;
  std::shared_ptr<const data::ShardSet> shards = nullptr;  // of [loader]; kept for all who read clips
};

// Builds both data sets and checks that they agree on their classes. The workshop's own classes are not asked
// for.
DataSets make_data_sets(const eval::Workshop& workshop);

data::LoaderSetup train_loader_setup(const eval::Workshop& workshop, std::shared_ptr<const Dataset> dataset);

// Everything that a trainer needs. The feeds own their loaders. Monitors are checked before the model is
// built.
Parts assemble(const eval::Workshop& workshop, const DataSets& sets, const at::Device& device);

}  // namespace kinema::train
