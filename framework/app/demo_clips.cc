#include "framework/app/demo_clips.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "framework/media/encode.h"
#include "kinema/random.h"

namespace kinema::app {
namespace {

struct Step {
  int x, y;
};
constexpr std::array<Step, 4> kSteps = {
    {{0, 1}, {-1, 0}, {1, 0}, {0, -1}}};  // in the order of demo_classes()
constexpr double kFps = 25;
constexpr std::uint64_t kTestNumbers = 1'000'000;  // clips of the test split are numbered from here on

enum class Form { disc, square, diamond };

// One shape of a clip; everything about it is drawn once from (seed, clip number).
struct Shape {
  Form form;
  double x, y;  // of its centre at t = 0
  double radius;
  double speed_px;  // a frame
  std::array<double, 3> colour;
};

Shape draw_shape(Random& random, int side_px) {
  Shape shape;
  shape.form = static_cast<Form>(random.below(3));
  shape.x = random.uniform(0, side_px);
  shape.y = random.uniform(0, side_px);
  shape.radius = side_px * random.uniform(0.12, 0.2);
  shape.speed_px = side_px * random.uniform(0.03, 0.06);
  for (double& channel : shape.colour) channel = random.uniform(120, 255);
  return shape;
}

// Distance on a circle of the given length: shapes leave on one side and come in on the other.
double wrapped(double distance, double length) {
  distance = std::fmod(std::abs(distance), length);
  return std::min(distance, length - distance);
}

bool covers(const Shape& shape, double dx, double dy) {
  switch (shape.form) {
    case Form::disc:
      return dx * dx + dy * dy <= shape.radius * shape.radius;
    case Form::square:
      return std::max(dx, dy) <= shape.radius * 0.9;
    case Form::diamond:
      return dx + dy <= shape.radius * 1.2;
  }
  return false;
}

}  // namespace

const std::vector<std::string>& demo_classes() {
  static const std::vector<std::string> classes = {"down", "left", "right", "up"};
  return classes;
}

std::vector<std::uint8_t> demo_frame(const DemoClips& clips, std::size_t direction, std::uint64_t number,
                                     std::int64_t t) {
  Random random(clips.seed, direction, number, "demo clip");
  const Shape shape = draw_shape(random, clips.side_px);
  const double stripes = random.uniform(0.1, 0.5), slant = random.uniform(-1, 1),
               base = random.uniform(20, 70);
  const Step step = kSteps[direction];
  const double x = shape.x + step.x * shape.speed_px * static_cast<double>(t);
  const double y = shape.y + step.y * shape.speed_px * static_cast<double>(t);
  std::vector<std::uint8_t> rgb;
  rgb.reserve(static_cast<std::size_t>(clips.side_px) * clips.side_px * 3);
  for (int row = 0; row < clips.side_px; ++row)
    for (int column = 0; column < clips.side_px; ++column) {
      const bool inside = covers(shape, wrapped(column - x, clips.side_px), wrapped(row - y, clips.side_px));
      const double ground = base + 20 * std::sin(stripes * (column + slant * row));
      for (const double channel : shape.colour)
        rgb.push_back(static_cast<std::uint8_t>(inside ? channel : ground));
    }
  return rgb;
}

void write_demo_clips(const std::filesystem::path& folder, const DemoClips& clips,
                      const std::function<void(std::int64_t, std::int64_t)>& done) {
  const std::array splits = {std::pair{"train", clips.train_per_class},
                             std::pair{"test", clips.test_per_class}};
  const std::int64_t total = (clips.train_per_class + clips.test_per_class) * std::ssize(demo_classes());
  std::int64_t written = 0;
  for (const auto& [split, count] : splits)
    for (std::size_t direction = 0; direction < demo_classes().size(); ++direction) {
      const std::filesystem::path home = folder / split / demo_classes()[direction];
      std::filesystem::create_directories(home);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t number = i + (split == std::string_view("test") ? kTestNumbers : 0);
        media::VideoWriter writer((home / fmt::format("{:03}.mp4", i)).string(),
                                  {clips.side_px, clips.side_px}, kFps);
        for (std::int64_t t = 0; t < clips.frames; ++t)
          writer.write(demo_frame(clips, direction, number, t).data());
        writer.finish();
        done(++written, total);
      }
    }
}

}  // namespace kinema::app
