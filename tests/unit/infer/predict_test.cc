#include "framework/infer/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "framework/infer/summary.h"
#include "kinema/error.h"
#include "kinema/layers.h"

#include <ATen/ops/flatten.h>
#include <ATen/ops/zeros.h>

namespace kinema::infer {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

struct Folder {
  fs::path path;
  Folder() {
    std::string pattern = testing::TempDir() + "kinema-infer-XXXXXX";
    path = ::mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path); }
  std::string touch(const std::string& name) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << "x";
    return (path / name).string();
  }
};

TEST(video_files, are_files_themselves_and_all_files_below_folders_in_byte_order) {
  const Folder folder;
  const std::string single = folder.touch("z.avi"), b = folder.touch("more/b.avi"),
                    a = folder.touch("more/deep/a.mp4"), upper = folder.touch("more/B.avi");
  folder.touch("more/.hidden.avi");
  EXPECT_THAT(video_files({single, (folder.path / "more").string()}), ElementsAre(single, upper, b, a));
}

TEST(video_files, names_everything_that_is_not_there_at_once) {
  try {
    video_files({"/no/such/a", "/no/such/b"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_STREQ(error.what(),
                 "/no/such/a: no such video: expected a file or a folder, got nothing there\n"
                 "/no/such/b: no such video: expected a file or a folder, got nothing there");
  }
}

struct SmallNet : Model {
  Child<Conv3d> conv = child<Conv3d>(
      "conv", Conv3dOptions{.in = 4, .out = 6, .kernel = 3, .padding = 1, .groups = 2, .bias = true});
  Child<AdaptiveAvgPool3d> pool = child<AdaptiveAvgPool3d>("pool");
  Child<Linear> fc = child<Linear>("fc", 6, 5);
  Output forward(const ClipBatch& batch) override {
    return {fc(at::flatten(pool(conv(batch.rgb())), 1)), {}};
  }
};

TEST(summary, counts_each_layer_by_hand) {
  SmallNet net;
  net.train();
  ClipBatch input;
  input.clips["rgb"] = at::zeros({2, 4, 3, 8, 8}, at::kFloat);
  const ModelSummary summary = summarise(net, input);
  ASSERT_EQ(summary.layers.size(), 3u);
  EXPECT_EQ(summary.layers[0].path, "conv");
  EXPECT_THAT(summary.layers[0].output, ElementsAre(2, 6, 3, 8, 8));
  EXPECT_EQ(summary.layers[0].parameters, 6 * 2 * 27 + 6);
  EXPECT_EQ(summary.layers[0].multiply_adds, 2 * 6 * 3 * 8 * 8 * 2 * 27);
  EXPECT_EQ(summary.layers[1].multiply_adds, 0);
  EXPECT_EQ(summary.layers[2].multiply_adds, 2 * 5 * 6);
  EXPECT_EQ(summary.parameters, 6 * 2 * 27 + 6 + 5 * 6 + 5);
  EXPECT_TRUE(net.training());
}

}  // namespace
}  // namespace kinema::infer
