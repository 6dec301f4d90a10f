#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/checkpoint/safetensors.h"
#include "framework/media/encode.h"
#include "framework/media/picture.h"
#include "tests/e2e/project.h"
#include "tests/support/clips.h"

// A video is its pictures: the same clip comes out of a folder of JPEG files and of a lossless video of them.
namespace kinema::e2e {
namespace {

using namespace std::string_literals;
namespace fs = std::filesystem;

constexpr int kFrames = 12;
constexpr Size kSize{75, 53};  // odd: chroma of the JPEG files is half as large, rounded up

// The JPEG file of a picture: one frame of an MJPEG stream is one.
void write_jpeg(const fs::path& path, int number) {
  media::WriterOptions options;
  options.codec = "mjpeg";
  options.pixel_format = "yuvj420p";
  options.full_range = true;
  options.quality = 3;
  const std::string stream = path.string() + ".mjpeg";
  media::VideoWriter writer(stream, kSize, 25, options);
  writer.write(test::numbered_frame(number, kSize).data());
  writer.finish();
  fs::rename(stream, path);
}

std::vector<std::uint8_t> pixels_of(const fs::path& picture) {
  std::vector<std::uint8_t> rgb(3 * kSize.width * kSize.height);
  media::Picture::open(picture.string()).read(Geometry::whole(kSize), rgb.data());
  return rgb;
}

struct Lossless {
  const char *file, *codec, *pixel_format;
  int gop = 5;
};

constexpr Lossless kVideos[] = {
    {"png.mov", "png", "rgb24"}, {"ffv1.mkv", "ffv1", "bgr0"}, {"x264.mp4", "libx264rgb", "bgr24"}};

std::string list_of(const std::string& path, bool pictures) {
  const std::string section = pictures ? "pictures = \"img_%05d.jpg\"\n" : "";
  return "type = \"list\"\nroot = \".\"\nlist = \"" + path + ".list\"\nclasses = [\"a\"]\n" + section;
}

// tiny.toml over one item.
void write_experiment(const Project& project, const std::string& path, bool pictures) {
  project.write(path + ".list", path + " a\n");
  std::string text(kTinyExperiment);
  const std::size_t begin = text.find("type = \"video_folder\"\nroot = \"clips/train\"");
  const std::size_t end = text.find("[clip]");
  text = text.substr(0, begin) + list_of(path, pictures) + "\n[data.val]\n" + list_of(path, pictures) + "\n" +
         text.substr(end);
  project.write(path + ".toml", text);
}

checkpoint::Safetensors clip_of(const Project& project, const std::string& path,
                                const std::vector<std::string>& words) {
  std::vector<std::string> arguments = {"data", "clip", path + ".toml"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  arguments.insert(arguments.end(), {"--output", path + ".safetensors"});
  EXPECT_TRUE(ended(project.kinema(arguments), 0));
  checkpoint::Safetensors file =
      checkpoint::read_safetensors(checkpoint::real_file_system(), project / (path + ".safetensors"));
  file.metadata.erase("key");
  return file;
}

std::string bytes_of(const at::Tensor& tensor) {
  return {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()};
}

TEST(lossless_frames, a_clip_of_pictures_is_the_clip_of_their_lossless_video) {
  const Project project;
  fs::create_directories(project / "pictures");
  write_experiment(project, "pictures", true);
  std::vector<std::vector<std::uint8_t>> frames;
  for (int i = 0; i < kFrames; ++i) {
    const fs::path file =
        project / ("pictures/img_0000"s.substr(0, i < 9 ? 17 : 16) + std::to_string(i + 1) + ".jpg");
    write_jpeg(file, 40 * i);
    frames.push_back(pixels_of(file));
  }
  const std::vector<std::vector<std::string>> requests = {
      {"--split", "train", "--stage", "decoded"},
      {"--split", "train", "--epoch", "1"},
      {"--split", "val"},
      {"~clip.resize", "clip.short_side=[17,60]", "clip.flip=true", "--epoch", "2"},
      {"~clip.flip", "--epoch", "3",
       "transform.train=[{type=\"random_resized_crop\",size=16},{type=\"flip\"},{type=\"colour_jitter\"}]"},
  };
  int compared = 0;
  for (const Lossless& video : kVideos) {
    if (!media::has_encoder(video.codec)) continue;
    media::WriterOptions options{.codec = video.codec, .pixel_format = video.pixel_format, .gop = video.gop};
    if (options.codec == "libx264rgb") options.encoder_options["qp"] = "0";
    media::VideoWriter writer(project / video.file, kSize, 25, options);
    for (const auto& frame : frames) writer.write(frame.data());
    writer.finish();
    write_experiment(project, video.file, false);
    for (const auto& words : requests) {
      const checkpoint::Safetensors a = clip_of(project, "pictures", words);
      const checkpoint::Safetensors b = clip_of(project, video.file, words);
      ASSERT_EQ(a.tensors.size(), 1u);
      EXPECT_EQ(a.tensors[0].tensor.sizes(), b.tensors[0].tensor.sizes());
      EXPECT_TRUE(bytes_of(a.tensors[0].tensor) == bytes_of(b.tensors[0].tensor))
          << video.file << ": " << testing::PrintToString(words);
      EXPECT_EQ(a.metadata, b.metadata) << video.file;
      ++compared;
    }
  }
  EXPECT_GE(compared, 10);
}

}  // namespace
}  // namespace kinema::e2e
