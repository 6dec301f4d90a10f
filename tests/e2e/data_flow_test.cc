#include <gmock/gmock.h>

#include "framework/media/picture.h"
#include "tests/e2e/project.h"

// `kinema data flow`, from videos to a folder that data sets read.
namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::size_t count_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

const std::vector<std::string> kFast = {"--method", "farneback", "--threads", "2"};

test::Finished data_flow(const Project& project, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"data", "flow"});
  arguments.insert(arguments.end(), kFast.begin(), kFast.end());
  return project.kinema(arguments);
}

TEST(data_flow, of_an_experiment_is_what_its_two_streams_train_on) {
  const Project project;
  project.write("two.toml", R"(extends = ["tiny.toml"]
[data.train]
modalities = ["rgb", "flow"]
flow_root = "flow/train"
[data.val]
modalities = ["rgb", "flow"]
flow_root = "flow/test"
[trainer]
max_steps = 2
)");
  const test::Finished run = data_flow(project, {"two.toml", "--output", "flow"});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_EQ(run.out, "flow: flow of 24 videos, 216 pairs of pictures\n");
  EXPECT_EQ(count_in(project / "flow/train/down/000"), 18u);
  EXPECT_TRUE(fs::exists(project / "flow/test/up/001/flow_y_00009.jpg"));
  const test::Finished again = data_flow(project, {"two.toml", "--output", "flow"});
  ASSERT_TRUE(ended(again, 0));
  EXPECT_EQ(again.out, "flow: flow of 0 videos, 0 pairs of pictures; 24 were there already\n");
  const std::vector<std::string> streams = {"train", "two.toml",
                                            "model={type=\"two_stream\", rgb={type=\"i3d\", width=8, "
                                            "blocks=[1,1,1,1], crop=32}, flow={type=\"i3d\", "
                                            "width=8, blocks=[1,1,1,1], crop=32, modality=\"flow\"}}",
                                            "clip.resize=[36,36]", "clip.crop=32"};
  EXPECT_TRUE(ended(project.kinema(streams), 0));
  // And alone, as a folder of pictures.
  project.write("alone.toml", R"(extends = ["tiny.toml"]
[trainer]
max_steps = 2
)");
  EXPECT_TRUE(
      ended(project.kinema({"train", "alone.toml",
                            "model={type=\"i3d\", width=8, blocks=[1,1,1,1], crop=32, modality=\"flow\"}",
                            "data.train={type=\"frame_folder\", root=\"flow/train\", "
                            "modalities=[\"flow\"]}",
                            "data.val={type=\"frame_folder\", root=\"flow/test\", modalities=[\"flow\"]}",
                            "clip.resize=[36,36]", "clip.crop=32"}),
            0));
}

TEST(data_flow, of_a_folder_lists_what_could_not_be_used_and_ends_with_4) {
  const Project project;
  project.write("clips/train/up/broken.avi", "nonsense");
  project.write("clips/notes.txt", "no video");
  const test::Finished run = data_flow(project, {"clips", "--output", "flow", "--short-side", "24", "--png"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_EQ(run.out, "flow: flow of 24 videos, 216 pairs of pictures; 1 could not be used\n");
  EXPECT_THAT(run.err, HasSubstr("clips/train/up/broken.avi"));
  EXPECT_EQ(media::Picture::open((project / "flow/train/up/000/flow_x_00001.png").string()).size(),
            (Size{24, 24}));
  EXPECT_FALSE(fs::exists(project / "flow/train/up/broken"));
}

TEST(data_flow, of_a_list_takes_paths_with_and_without_labels) {
  const Project project;
  fs::copy_file(project / "clips/train/up/000.mp4", project / "clips/a b.mp4");
  fs::copy_file(project / "clips/train/up/000.mp4", project / "clips/a b.avi");
  project.write("clips/list.txt", "a b.mp4\na b.avi up\ntrain/up/001.mp4 3\n\n");
  ASSERT_TRUE(ended(data_flow(project, {"clips/list.txt", "--output", "flow"}), 0));
  EXPECT_TRUE(fs::exists(project / "flow/a b.mp4/flow_x_00001.jpg"))
      << "two of one name keep their extension";
  EXPECT_TRUE(fs::exists(project / "flow/a b.avi/flow_x_00001.jpg"));
  EXPECT_TRUE(fs::exists(project / "flow/train/up/001/flow_x_00009.jpg"));
  project.write("clips/up.txt", "../elsewhere/000.mp4\n");
  const test::Finished up = data_flow(project, {"clips/up.txt", "--output", "flow"});
  EXPECT_TRUE(ended(up, 2));
  EXPECT_THAT(up.err, HasSubstr("no place below flow"));
}

TEST(data_flow, says_what_is_wrong_with_its_arguments) {
  const Project project;
  const auto error = [&](const std::vector<std::string>& arguments, int code) {
    const test::Finished run = data_flow(project, arguments);
    EXPECT_TRUE(ended(run, code));
    return run.err;
  };
  EXPECT_THAT(error({"nowhere.txt", "--output", "flow"}, 4),
              HasSubstr("nowhere.txt: cannot read: expected a list of videos"));
  EXPECT_THAT(error({"clips", "a.b=1", "--output", "flow"}, 2), HasSubstr("one argument too many"));
  EXPECT_THAT(error({"clips"}, 2), HasSubstr("--output"));
  fs::create_directory(project / "empty");
  EXPECT_THAT(error({"empty", "--output", "flow"}, 4), HasSubstr("no files: expected at least one video"));
  project.write("empty/cover.jpg", "x");
  EXPECT_THAT(error({"empty", "--output", "flow"}, 4),
              HasSubstr("no videos: expected files in it or below, got pictures alone"));
}

}  // namespace
}  // namespace kinema::e2e
