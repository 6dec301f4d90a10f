#pragma once

#include <string>
#include <vector>

#include "framework/train/run_state.h"
#include "kinema/module.h"

namespace kinema::train {

// One moment of a run. The tensors share storage with the running model, loss and optimizer.
struct Snapshot {
  RunState state;
  Value callbacks;
  std::vector<NamedTensor> model;
  std::vector<NamedTensor> loss;  // its own parameters and buffers
  std::vector<NamedTensor> optimizer;
};

// Where snapshots go: a checkpoint store, or nowhere (a dry run).
class Keeper {
 public:
  virtual ~Keeper() = default;
  // Complete on disk when it returns; the path of what was written, empty when nothing is kept. `best`: this
  // is the best so far. Throws Error(run); what was there before is then still there.
  virtual std::string save(const Snapshot& snapshot, const std::string& name, bool best) = 0;
  // Forgets a snapshot that a callback named.
  virtual void release(const std::string& name) = 0;
};

}  // namespace kinema::train
