#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>

#include "framework/checkpoint/safetensors.h"
#include "framework/media/encode.h"
#include "framework/media/grey_picture.h"
#include "tests/e2e/project.h"

// Optical flow from folders of pictures into models: alone and beside the pictures.
namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using Sizes = std::vector<std::int64_t>;

constexpr Size kSize = {24, 20};

void write_grey_picture(const fs::path& folder, const char* before, int number, double phase) {
  std::vector<std::uint8_t> grey;
  for (int y = 0; y < kSize.height; ++y)
    for (int x = 0; x < kSize.width; ++x)
      grey.push_back(static_cast<std::uint8_t>(127.5 + 60 * std::sin(0.3 * x + 0.2 * y + phase)));
  char name[64];
  std::snprintf(name, sizeof name, "%s_%05d.jpg", before, number);
  media::write_grey((folder / name).string(), grey.data(), kSize, media::PictureFormat::jpeg);
}

// frames/{100%,walk}/v{0..3}: six pictures and the five flows between them.
void write_frames(const Project& project) {
  for (const char* label : {"100%", "walk"})
    for (int video = 0; video < 4; ++video) {
      const fs::path folder = project / "frames" / label / std::string("v").append(std::to_string(video));
      fs::create_directories(folder);
      for (int i = 1; i <= 6; ++i) write_grey_picture(folder, "img", i, 0.5 * i + video);
      for (int i = 1; i <= 5; ++i) {
        write_grey_picture(folder, "flow_x", i, 0.1 * i + video);
        write_grey_picture(folder, "flow_y", i, 0.3 * i + video);
      }
    }
}

std::string experiment(const std::string& modalities, const std::string& model) {
  const auto data = [&](const std::string& subset) {
    return "type = \"frame_folder\"\nroot = \"frames\"\nmodalities = " + modalities +
           "\nholdout = { fraction = 0.25 }\nsubset = \"" + subset + "\"\n";
  };
  return "name = \"flow\"\n[data.train]\n" + data("train") + "[data.val]\n" + data("test") + R"(
[clip]
frames = 4
stride = 1
short_side = 18
crop = 16
[clip.train]
flip = true
[loader]
batch = 2
workers = 0
[optimizer]
type = "sgd"
lr = 0.01
[trainer]
max_steps = 2
threads = 1
)" + model;
}

// Tensors of `kinema data clip`, by modality.
std::map<std::string, Sizes> clip_sizes(const Project& project, const std::string& stage) {
  EXPECT_TRUE(ended(project.kinema({"data", "clip", "flow.toml", "--index", "1", "--stage", stage, "--output",
                                    "clip.safetensors"}),
                    0));
  std::map<std::string, Sizes> sizes;
  for (const auto& tensor :
       checkpoint::read_safetensors(checkpoint::real_file_system(), project / "clip.safetensors").tensors)
    sizes[tensor.name] = tensor.tensor.sizes().vec();
  return sizes;
}

TEST(flow, alone_trains_the_flow_stream_of_i3d) {
  const Project project;
  write_frames(project);
  project.write("flow.toml", experiment("[\"flow\"]", R"([model]
type = "i3d"
preset = "i3d_inception_flow"
adaptive_pool = true
)"));
  ASSERT_TRUE(ended(
      project.kinema({"train", "flow.toml", "clip.frames=4", "clip.short_side=32", "clip.crop=32"}), 0));
  EXPECT_EQ(clip_sizes(project, "final"), (std::map<std::string, Sizes>{{"flow", {2, 4, 16, 16}}}));
  EXPECT_EQ(clip_sizes(project, "decoded"), (std::map<std::string, Sizes>{{"flow", {4, 20, 24, 2}}}));
}

TEST(flow, beside_the_pictures_trains_two_streams_from_one_file) {
  const Project project;
  write_frames(project);
  project.write("flow.toml", experiment("[\"rgb\", \"flow\"]", R"([model]
type = "two_stream"
[model.rgb]
type = "i3d"
width = 8
blocks = [1, 1, 1, 1]
crop = 32
[model.flow]
type = "i3d"
width = 8
blocks = [1, 1, 1, 1]
crop = 32
modality = "flow"
)"));
  ASSERT_TRUE(ended(project.kinema({"train", "flow.toml", "clip.short_side=36", "clip.crop=32"}), 0));
  EXPECT_EQ(clip_sizes(project, "final"),
            (std::map<std::string, Sizes>{{"flow", {2, 4, 16, 16}}, {"rgb", {3, 4, 16, 16}}}));
  const auto metadata =
      checkpoint::read_safetensors(checkpoint::real_file_system(), project / "clip.safetensors").metadata;
  for (const std::string fact : {"frames", "source", "output", "flip"})
    EXPECT_EQ(metadata.at(fact), metadata.at("flow." + fact)) << fact;
}

}  // namespace
}  // namespace kinema::e2e
