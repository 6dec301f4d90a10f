#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kinema::app {

// The demo's data: small clips of shapes that drift over a striped background and come back in on the other
// side. The class is the direction of motion, so one frame is not enough to name it.
struct DemoClips {
  std::int64_t train_per_class = 40;
  std::int64_t test_per_class = 12;
  std::int64_t frames = 20;
  int side_px = 48;
  std::uint64_t seed = 7;
};

// "down", "left", "right", "up".
const std::vector<std::string>& demo_classes();

// Writes <folder>/<split>/<class>/<number>.mp4 for the splits train and test. `done` is told how many of how
// many are written. Equal arguments give equal pictures. Throws Error(run) when a file cannot be written.
void write_demo_clips(const std::filesystem::path& folder, const DemoClips& clips,
                      const std::function<void(std::int64_t, std::int64_t)>& done);

// RGB, uint8 [side_px, side_px, 3], of frame `t` of one clip.
std::vector<std::uint8_t> demo_frame(const DemoClips& clips, std::size_t direction, std::uint64_t number,
                                     std::int64_t t);

}  // namespace kinema::app
