#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pathway_reference.h"

namespace kinema {
namespace {

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("i3d");
  return loaded;
}

TEST(i3d, has_the_reference_state_dicts) {
  test::PathwayReference(plugin(), "i3d_r50", "i3d_r50").expect_state();
  test::PathwayReference(plugin(), "i3d_nln_r50", "i3d_nln_r50").expect_state();
}

// Gradients are compared in pathway_resnets_slow_test.cc.
TEST(i3d, non_local_i3d_gives_the_reference_logits) {
  test::PathwayReference(plugin(), "i3d_nln_r50", "i3d_nln_r50").expect_logits("small");
}

TEST(i3d, has_as_many_parameters_as_published_with_101_layers) {
  const auto parameters = [](const char* preset) {
    std::int64_t count = 0;
    for (const NamedTensor& named : plugin().make(plugin().preset(preset), 400)->parameters())
      count += named.tensor.numel();
    return count;
  };
  EXPECT_EQ(parameters("i3d_r101"), 51754192);
  EXPECT_EQ(parameters("i3d_nln_r101"), 59112656);
}

TEST(i3d, the_pool_over_frames_can_be_left_out) {
  const Value small = Value::table({{"blocks", Value(Value::Array{1, 1, 1, 1})}, {"width", 4}});
  Value unpooled = small;
  unpooled.set("pool_frames", false);
  EXPECT_NE(plugin().make(small, 2)->find("pathway0_pool"), nullptr);
  const auto model = plugin().make(unpooled, 2);
  EXPECT_EQ(model->find("pathway0_pool"), nullptr);
  model->train(false);
  EXPECT_EQ(model->forward(test::formula_clip({1, 3, 1, 32, 32})).logits.sizes(), (at::IntArrayRef{1, 2}));
}

TEST(i3d, reads_flow_when_asked_to) {
  const auto model = plugin().make(
      Value::table({{"blocks", Value(Value::Array{1, 1, 1, 1})}, {"width", 4}, {"modality", "flow"}}), 2);
  model->train(false);
  EXPECT_EQ(model->forward(test::formula_clip({1, 2, 2, 32, 32}, "flow")).logits.sizes(),
            (at::IntArrayRef{1, 2}));
}

}  // namespace
}  // namespace kinema
