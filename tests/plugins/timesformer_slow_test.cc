#include <gtest/gtest.h>

#include "tests/support/pathway_reference.h"

namespace kinema {
namespace {

// The published program has 121,566,352 parameters with the 400 classes of Kinetics. The 121.4 million of the
// paper are those with the 174 classes of Something-Something.
TEST(timesformer_sizes, have_as_many_parameters_as_published) {
  test::ModelPlugin plugin("timesformer");
  std::int64_t count = 0;
  for (const NamedTensor& named : plugin.make(plugin.preset("timesformer_b_8x32"), 400)->parameters())
    count += named.tensor.numel();
  EXPECT_EQ(count, 121566352);
  EXPECT_NEAR(static_cast<double>(count - 226 * 769), 121.4e6, 0.05e6);
}

TEST(timesformer_sizes, the_preset_runs_at_full_size) {
  test::ModelPlugin plugin("timesformer");
  const auto model = plugin.make(plugin.preset("timesformer_b_8x32"), 400);
  model->train(false);
  EXPECT_EQ(model->forward(test::formula_clip({1, 3, 8, 224, 224})).logits.sizes(),
            (at::IntArrayRef{1, 400}));
}

}  // namespace
}  // namespace kinema
