#pragma once

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "kinema/model.h"

namespace kinema::test {

// The maps of a network with one pathway, which it also gives without its head. Leaves the model without it.
inline void expect_features(Model& model, const ClipBatch& batch, at::IntArrayRef shape) {
  auto* backbone = dynamic_cast<HasFeatures*>(&model);
  ASSERT_NE(backbone, nullptr);
  const at::NoGradGuard no_grad;
  model.train(false);
  const std::vector<at::Tensor> maps = backbone->features(batch);
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].sizes(), shape);
  EXPECT_EQ(backbone->feature_channels(), std::vector<std::int64_t>{shape[1]});
  const std::size_t before = model.parameters().size();
  model.erase(backbone->head());
  EXPECT_EQ(model.parameters().size(), before - 2);  // weight and bias
  EXPECT_TRUE(backbone->features(batch)[0].equal(maps[0]));
}

}  // namespace kinema::test
