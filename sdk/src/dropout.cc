#include <ATen/ops/dropout.h>

#include "kinema/error.h"
#include "kinema/layers.h"

namespace kinema {

Dropout::Dropout(double p) : p_(p) {
  if (!(p >= 0 && p <= 1))
    throw Error(ErrorKind::plugin, "Dropout",
                "wrong probability: expected a number between 0 and 1, got " + std::to_string(p));
}

at::Tensor Dropout::forward(const at::Tensor& x) { return at::dropout(x, p_, training()); }

}  // namespace kinema
