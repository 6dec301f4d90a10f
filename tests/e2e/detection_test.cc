#include <nlohmann/json.hpp>

#include "framework/media/encode.h"
#include "tests/e2e/project.h"

// AVA-like training from one file: key frames with boxes, from folders of pictures.
namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::string_view kExperiment = R"(name = "boxes"
seed = 5

[model]
type = "slowfast"
architecture = "slow"
depth = 50
width = 4
detection = true
activation = "sigmoid"

[data.train]
type = "ava"
frames_root = "frames"
fps = 10
first_second = 0
label_map = "actions.pbtxt"
boxes = ["truth.csv"]
pictures = "{id}_%03d.png"

[data.val]
type = "ava"
frames_root = "frames"
fps = 10
first_second = 0
label_map = "actions.pbtxt"
boxes = ["truth.csv"]
predicted_boxes = ["detector.csv"]
use = "predicted"
score_threshold = 0.5
pictures = "{id}_%03d.png"

[clip]
frames = 4
stride = 2
short_side = [48]
crop = 48

[loader]
batch = 2
workers = 0
drop_last = false

[loss]
type = "bce"

[optimizer]
type = "sgd"
lr = 0.05

[trainer]
epochs = 2
monitor = "val/frame_mAP"
threads = 1
)";

// Two videos of 4 s; in the left half somebody who grows brighter, in the right half somebody who does not.
class detection : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* id : {"a", "b"}) add_video(id);
    project.write("actions.pbtxt",
                  "item {\n  name: \"brighten\"\n  id: 3\n}\nitem {\n  name: \"stay\"\n  id: 17\n}\n");
    project.write("truth.csv",
                  "a,0001,0.1,0.1,0.4,0.9,3,0\na,0001,0.6,0.1,0.9,0.9,17,1\na,0002,0.1,0.1,0.4,0.9,3,0\n"
                  "b,0001,0.6,0.1,0.9,0.9,17,0\nb,0003,0.1,0.1,0.4,0.9,3,0\nb,0003,0.1,0.1,0.4,0.9,17,0\n");
    // b,0001 is missed, b,0002 is nobody
    project.write("detector.csv",
                  "a,0001,0.12,0.1,0.42,0.9,,0.9\na,0001,0.6,0.12,0.9,0.9,,0.8\na,0002,0.1,0.1,0.4,0.9,,0.7\n"
                  "b,0002,0.2,0.2,0.3,0.3,,0.9\nb,0003,0.1,0.1,0.4,0.9,,0.99\nb,0003,0.7,0.7,0.9,0.9,,0.4\n");
    project.write("boxes.toml", kExperiment);
  }

  void add_video(const std::string& id) const {
    fs::create_directories(project.folder() / "frames" / id);
    constexpr Size kSize{64, 48};
    for (int k = 0; k < 40; ++k) {
      std::vector<std::uint8_t> rgb(std::size_t{3} * kSize.width * kSize.height, 90);
      for (int y = 8; y < 40; ++y)
        for (int x = 8; x < 56; ++x)
          if (x < 24 || x >= 40)
            for (int c = 0; c < 3; ++c)
              rgb[static_cast<std::size_t>(3 * (y * kSize.width + x) + c)] =
                  static_cast<std::uint8_t>(x < 24 ? 20 + 5 * k : 160);
      const std::string number = std::to_string(1000 + k + 1).substr(1);
      media::write_png((project.folder() / "frames" / id / (id + "_" + number + ".png")).string(), rgb.data(),
                       kSize);
    }
  }
  test::Finished train(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"train", "boxes.toml"});
    return project.kinema(more);
  }
  nlohmann::json json_of(const std::vector<std::string>& arguments) const {
    const test::Finished run = project.kinema(arguments);
    EXPECT_TRUE(ended(run, 0));
    return nlohmann::json::parse(run.out);
  }

  Project project;
};

TEST_F(detection, is_trained_and_its_export_gives_the_official_figure) {
  ASSERT_TRUE(ended(train(), 0));
  const nlohmann::json own = json_of({"eval", "boxes.toml", "--detections", "found.csv", "--json"});
  EXPECT_EQ(own["items"], 5) << "four key frames with people, of which one was missed, and one without";
  const double precision = own["val/frame_mAP"];
  EXPECT_GT(precision, 0);
  EXPECT_LT(precision, 1) << "somebody was missed";
  EXPECT_TRUE(own.contains("val/loss"));
  EXPECT_FALSE(own.contains("val/top1"));
  const std::string found = text_of(project / "found.csv");
  EXPECT_THAT(found, HasSubstr("a,0001,0.12,0.1,0.42,0.9,3,"));
  EXPECT_THAT(found, HasSubstr("b,0002,0.2,0.2,0.3,0.3,17,"));
  EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 10) << "five boxes, two classes";
  const nlohmann::json official =
      json_of({"metrics", "ava", "--ground-truth", "truth.csv", "--detections", "found.csv", "--labels",
               "actions.pbtxt", "--rule", "official", "--json"});
  EXPECT_NEAR(official["mAP@0.5"], precision, 1e-12);
}

TEST_F(detection, the_other_rule_is_a_metric_too) {
  project.edit("boxes.toml", "[trainer]",
               "[[metric]]\ntype = \"frame_map\"\nrule = \"slowfast\"\n\n[trainer]");
  ASSERT_TRUE(ended(train({"trainer.epochs=1", "trainer.monitor=val/frame_mAP_slowfast"}), 0));
  const nlohmann::json own = json_of({"eval", "boxes.toml", "trainer.monitor=val/frame_mAP_slowfast",
                                      "--detections", "found.csv", "--json"});
  const nlohmann::json theirs =
      json_of({"metrics", "ava", "--ground-truth", "truth.csv", "--detections", "found.csv", "--labels",
               "actions.pbtxt", "--rule", "slowfast", "--json"});
  EXPECT_NEAR(theirs["mAP@0.5"], own["val/frame_mAP_slowfast"], 1e-12);
}

TEST_F(detection, clips_and_whole_batches_without_boxes_train) {
  project.edit("boxes.toml", "boxes = [\"truth.csv\"]\n",
               "boxes = [\"truth.csv\"]\npredicted_boxes = [\"train.csv\"]\nuse = \"predicted\"\n");
  // of the four key frames one has a box, so that a batch of two has none
  project.write("train.csv", "a,0001,0.1,0.1,0.4,0.9,3,0.9\n");
  const test::Finished run = train({"loader.batch=1", "trainer.log_every=1"});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_EQ(run.err.find("nan"), std::string::npos) << run.err;
  project.write("train.csv", "zz,0001,0.1,0.1,0.4,0.9,3,0.4\n");
  ASSERT_TRUE(ended(train({"name=none", "trainer.accumulate=2"}), 0)) << "none at all";
}

TEST_F(detection, a_run_is_resumed_and_a_training_crop_may_cut_boxes_away) {
  ASSERT_TRUE(ended(train({"trainer.epochs=1", "clip.train.short_side=[56, 64]", "clip.train.crop=32"}), 0));
  const test::Finished run =
      train({"trainer.epochs=2", "clip.train.short_side=[56, 64]", "clip.train.crop=32", "--resume"});
  ASSERT_TRUE(ended(run, 0));
}

TEST_F(detection, what_does_not_go_with_boxes_is_said) {
  const test::Finished monitor = train({"trainer.monitor=val/top1"});
  ASSERT_TRUE(ended(monitor, 2));
  EXPECT_THAT(monitor.err, HasSubstr("boxes are measured: [trainer] monitor = \"val/frame_mAP\""));
  const test::Finished mixed = train({"mix.mixup=0.8"});
  ASSERT_TRUE(ended(mixed, 2));
  EXPECT_THAT(mixed.err, HasSubstr("clips with boxes cannot be mixed"));
  const test::Finished metric = train({"metric=[{type=\"mean_average_precision\"}]"});
  ASSERT_TRUE(ended(metric, 2));
  EXPECT_THAT(metric.err, HasSubstr("expected one that measures boxes, got mean_average_precision"));
  ASSERT_TRUE(ended(project.train({"trainer.epochs=1"}), 0));
  const test::Finished clips = project.kinema({"eval", "tiny.toml", "--detections", "found.csv"});
  ASSERT_TRUE(ended(clips, 2));
  EXPECT_THAT(clips.err, HasSubstr("no boxes: expected a [data.val] with boxes, got video_folder"));
}

}  // namespace
}  // namespace kinema::e2e
