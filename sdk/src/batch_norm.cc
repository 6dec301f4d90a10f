#include <ATen/ops/batch_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <sstream>

#include "kinema/error.h"
#include "kinema/layers.h"

namespace kinema {
namespace {

const BatchNormOptions& checked(const BatchNormOptions& o) {
  if (o.features <= 0)
    throw Error(ErrorKind::plugin, "BatchNorm",
                "wrong features: expected a positive number of channels, got " + std::to_string(o.features));
  return o;
}

}  // namespace

BatchNorm::BatchNorm(const BatchNormOptions& options)
    : options_(checked(options)),
      weight_(parameter("weight", at::ones({options_.features}))),
      bias_(parameter("bias", at::zeros({options_.features}))),
      running_mean_(buffer("running_mean", at::zeros({options_.features}))),
      running_var_(buffer("running_var", at::ones({options_.features}))),
      num_batches_tracked_(buffer("num_batches_tracked", at::zeros({}, at::kLong))) {}

at::Tensor BatchNorm::forward(const at::Tensor& x) {
  const RunContext& context = run_context();
  const bool batch_statistics = training() && !context.frozen_norm;
  if (!batch_statistics)
    return at::batch_norm(x, weight_, bias_, running_mean_, running_var_, false, options_.momentum,
                          options_.eps, true);

  const bool track = !context.recomputing;
  if (track) num_batches_tracked_.add_(1);
  const at::Tensor mean = track ? running_mean_ : at::Tensor();
  const at::Tensor var = track ? running_var_ : at::Tensor();
  if (context.norm_sync)
    return context.norm_sync->batch_norm(x, weight_, bias_, mean, var, options_.momentum, options_.eps);
  if (x.dim() >= 2 && x.numel() == x.size(1)) {
    std::ostringstream shape;
    shape << x.sizes();
    throw Error(
        ErrorKind::run, path().empty() ? "BatchNorm" : path(),
        "too few values: expected more than 1 value per channel in train mode, got an input of shape " +
            shape.str(),
        "use larger batches or clips, or freeze batch norm");
  }
  return at::batch_norm(x, weight_, bias_, mean, var, true, options_.momentum, options_.eps, true);
}

}  // namespace kinema
