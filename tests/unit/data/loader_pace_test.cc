#include "framework/data/loader_pace.h"

#include "tests/unit/data/loader_setups.h"

namespace kinema::data {
namespace {

using namespace test_loader;

TEST(loader_pace, counts_what_an_epoch_delivers_whatever_the_workers) {
  const auto items = video_items();
  LoaderPace paces[2];
  for (const std::int64_t workers : {0, 2}) {
    Loader loader(train_setup(items, workers));
    loader_pace(loader, 0, false);
    LoaderPace& pace = paces[workers / 2];
    pace = loader_pace(loader, 1, true);
    EXPECT_EQ(pace.clips, 6) << "of one epoch, not of both";
    EXPECT_EQ(pace.batches, 2);
    EXPECT_EQ(pace.bytes, 6 * 4 * 16 * 16 * 3);
    EXPECT_GT(pace.seconds, 0);
    EXPECT_GT(pace.cpu_seconds, 0);
    EXPECT_GE(pace.seconds, pace.wait_s);
  }
  EXPECT_EQ(paces[0].means, paces[1].means);
  double sum = 0;
  for (const Taken& batch : epoch_of(train_setup(items, 0), 1))
    for (const std::uint8_t byte : batch.bytes) sum += byte;
  EXPECT_NEAR((paces[0].means[0] + paces[0].means[1] + paces[0].means[2]) / 3,
              sum / static_cast<double>(paces[0].bytes), 1e-9);
}

}  // namespace
}  // namespace kinema::data
