#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string_view>
#include <tuple>

#include "kinema/export.h"

namespace kinema {

class Module;

// How the layers of this thread run, chosen by the host without touching the author's code.
struct RunContext {
  // Sees each layer and block after it ran: model summary, features, Grad-CAM, profiling.
  struct Tap {
    virtual ~Tap() = default;
    // `name` is empty for a layer, else the block's name under `module`.
    virtual void ran(const Module& module, std::string_view name, const at::Tensor& input,
                     const at::Tensor& output) = 0;
  };
  // Sums batch statistics over ranks (SyncBN).
  struct NormSync {
    virtual ~NormSync() = default;
    // Batch norm in train mode; same arguments and result as torch's batch_norm. Collective.
    virtual at::Tensor batch_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                  const at::Tensor& running_mean, const at::Tensor& running_var,
                                  double momentum, double eps) = 0;
  };
  // Runs the body of a block: activation checkpointing.
  struct BlockRunner {
    virtual ~BlockRunner() = default;
    virtual at::Tensor run(const std::function<at::Tensor(const at::Tensor&)>& body, const at::Tensor& x) = 0;
  };

  Tap* tap = nullptr;  // borrowed, like the others
  NormSync* norm_sync = nullptr;
  BlockRunner* block_runner = nullptr;
  bool frozen_norm = false;  // batch norm uses its running statistics in train mode too
  bool recomputing = false;  // inside a checkpoint's second run: running statistics stay
};

// The context of this thread; a default one where none was set.
KINEMA_API const RunContext& run_context();

// Sets this thread's context for a scope.
class KINEMA_API RunContextScope {
 public:
  explicit RunContextScope(const RunContext& context);
  ~RunContextScope();
  RunContextScope(const RunContextScope&) = delete;
  RunContextScope& operator=(const RunContextScope&) = delete;

 private:
  const RunContext* previous_;
};

// Marks a part of forward() that may be recomputed in the backward pass and that taps see under `name`:
//   x = block(*this, "layer1.0", [&](const at::Tensor& x) { return ...; }, x);
KINEMA_API at::Tensor block(const Module& module, std::string_view name,
                            const std::function<at::Tensor(const at::Tensor&)>& body, const at::Tensor& x);

}  // namespace kinema
