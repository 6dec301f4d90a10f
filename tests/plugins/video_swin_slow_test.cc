#include <gtest/gtest.h>

#include "tests/support/pathway_reference.h"

namespace kinema {
namespace {

TEST(video_swin_sizes, have_as_many_parameters_as_published) {
  test::ModelPlugin plugin("video_swin");
  const auto parameters = [&](const char* preset) {
    std::int64_t count = 0;
    for (const NamedTensor& named : plugin.make(plugin.preset(preset), 400)->parameters())
      count += named.tensor.numel();
    return count;
  };
  EXPECT_EQ(parameters("swin3d_s"), 49816678);
  EXPECT_EQ(parameters("swin3d_b"), 88048984);
}

}  // namespace
}  // namespace kinema
