#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "framework/checkpoint/store.h"
#include "framework/train/keeper.h"

namespace kinema::train {

// What is written beside the tensors of every checkpoint of a run.
struct CheckpointLabels {
  std::map<std::string, std::string> metadata;  // of model.safetensors: class names, experiment
  std::map<std::string, std::string> plugins;   // name: version
  std::string config_hash;
  std::string best_link;  // "best-val_top1"
};

// Names of the links that a checkpoint was meant to get, in its values: a run killed between the checkpoint
// and its links makes up for them when it goes on.
inline constexpr const char* kLinksKey = "links";

// Keeps snapshots in a run's folder of checkpoints.
class StoreKeeper final : public Keeper {
 public:
  StoreKeeper(std::string folder, std::int64_t keep, CheckpointLabels labels,
              std::function<void(std::string_view)> warn);
  std::string save(const Snapshot& snapshot, const std::string& name, bool best) override;
  void release(const std::string& name) override { store_.release(name); }

 private:
  checkpoint::CheckpointStore store_;
  CheckpointLabels labels_;
  std::function<void(std::string_view)> warn_;
};

// Keeps nothing: a dry run.
class NoKeeper final : public Keeper {
 public:
  std::string save(const Snapshot&, const std::string&, bool) override { return {}; }
  void release(const std::string&) override {}
};

// The values of a checkpoint as the trainer takes them up again.
struct Restored {
  RunState state;
  Value callbacks;
};
Restored restored_from(const Value& values);

}  // namespace kinema::train
