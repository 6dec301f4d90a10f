#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "framework/flow/farneback.h"
#include "framework/flow/tvl1.h"
#include "tests/unit/flow/made_clips.h"

// The same clips, the same numbers: tests/golden/flow holds what OpenCV finds (VERSION names it).
namespace kinema::flow {
namespace {

std::int64_t checksum_of(const Plane& first, const Plane& second) {
  std::int64_t sum = 0, i = 0;
  for (const Plane* plane : {&first, &second})
    for (const float value : plane->values) sum += static_cast<std::int64_t>(value) * (i++ % 8191 + 1);
  return sum;
}

struct Expected {
  Field flow;
  std::int64_t checksum = 0;
};

Expected expected_of(const std::string& name) {
  std::ifstream in(KINEMA_GOLDEN_DIR "/flow/" + name + ".txt");
  Size size;
  Expected expected;
  in >> size.width >> size.height >> expected.checksum;
  expected.flow = Field(size);
  for (Plane* plane : {&expected.flow.right, &expected.flow.down})
    for (float& value : plane->values) {
      in >> value;
      value /= 100;
    }
  EXPECT_TRUE(in) << name;
  return expected;
}

double mean_end_point_error(const Field& a, const Field& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.right.values.size(); ++i)
    sum += std::hypot(a.right.values[i] - b.right.values[i], a.down.values[i] - b.down.values[i]);
  return sum / static_cast<double>(a.right.values.size());
}

class opencv : public testing::TestWithParam<test::MadeClip> {
 protected:
  Plane first = test::made_picture(GetParam().first), second = test::made_picture(GetParam().second);

  void expect_agreement(const std::string& method, const Field& flow, double within) {
    const Expected expected = expected_of(GetParam().name + "." + method);
    ASSERT_EQ(checksum_of(first, second), expected.checksum) << "not the clip that OpenCV saw";
    const double error = mean_end_point_error(flow, expected.flow);
    EXPECT_LT(error, within);
    RecordProperty("mean_end_point_error", std::to_string(error));
  }
};

TEST_P(opencv, finds_the_same_tv_l1_flow) { expect_agreement("tvl1", tv_l1(first, second), 0.03); }

TEST_P(opencv, finds_the_same_farneback_flow) {
  expect_agreement("farneback", farneback(first, second), 0.01);
}

INSTANTIATE_TEST_SUITE_P(made, opencv, testing::ValuesIn(test::kMadeClips),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kinema::flow
