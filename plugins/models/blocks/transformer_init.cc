#include "blocks/transformer_init.h"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "kinema/layers.h"

namespace kinema::blocks {

void init_transformer(Module& network) {
  for (const auto& [path, module] : network.modules()) {
    auto* linear = dynamic_cast<Linear*>(module);
    if (linear == nullptr) continue;
    init::truncated_normal(linear->weight(), kTokenStd);
    if (linear->bias().defined()) init::constant(linear->bias(), 0);
  }
}

at::Tensor token_table(at::IntArrayRef shape) {
  at::Tensor table = at::empty(shape);
  init::truncated_normal(table, kTokenStd);
  return table;
}

double stochastic_depth_of(double last, std::int64_t number, std::int64_t count) {
  return last * static_cast<double>(number) / static_cast<double>(std::max<std::int64_t>(1, count - 1));
}

}  // namespace kinema::blocks
