#include "framework/train/builtin_optimizers.h"

#include <memory>

#include "framework/train/adamw.h"
#include "framework/train/sgd.h"

namespace kinema::train {

void register_builtin_optimizers(Registrar& registrar) {
  registrar.add<Optimizer>("sgd", "stochastic gradient descent with momentum, as torch's", sgd_options(),
                           [](const SgdOptions& o, Context&) { return std::make_shared<Sgd>(o); });
  registrar.add<Optimizer>("adamw", "Adam with decoupled weight decay, as torch's", adamw_options(),
                           [](const AdamWOptions& o, Context&) { return std::make_shared<AdamW>(o); });
}

}  // namespace kinema::train
