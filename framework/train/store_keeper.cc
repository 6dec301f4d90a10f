#include "framework/train/store_keeper.h"

#include <utility>

#include "framework/infer/loss_state.h"

namespace kinema::train {

StoreKeeper::StoreKeeper(std::string folder, std::int64_t keep, CheckpointLabels labels,
                         std::function<void(std::string_view)> warn)
    : store_(std::move(folder), checkpoint::real_file_system(), keep),
      labels_(std::move(labels)),
      warn_(std::move(warn)) {}

std::string StoreKeeper::save(const Snapshot& snapshot, const std::string& name, bool best) {
  checkpoint::CheckpointContents contents;
  contents.model = snapshot.model;
  contents.metadata = labels_.metadata;
  contents.state = snapshot.optimizer;
  for (const NamedTensor& named : snapshot.loss)
    contents.state.push_back({infer::kLossPrefix + named.name, named.tensor});
  contents.step = snapshot.state.step;
  contents.epoch = snapshot.state.epoch;
  contents.plugins = labels_.plugins;
  contents.config_hash = labels_.config_hash;
  std::vector<std::string> links = {"last"};
  if (best) links.push_back(labels_.best_link);
  Value::Array names;
  for (const std::string& link : links) names.emplace_back(link);
  contents.values = Value::table({{"run", snapshot.state.to_value()},
                                  {"callbacks", snapshot.callbacks},
                                  {kLinksKey, Value(std::move(names))}});
  const checkpoint::Saved saved = store_.save(contents, name, links);
  for (const std::string& warning : saved.warnings) warn_(warning);
  return saved.path;
}

Restored restored_from(const Value& values) {
  const Value* run = values.find("run");
  const Value* callbacks = values.find("callbacks");
  if (!run || !callbacks)
    throw Error(ErrorKind::data, "checkpoint state",
                "not the state of a run: expected the tables run and callbacks in state.json, got others");
  return {RunState::from_value(*run), *callbacks};
}

}  // namespace kinema::train
