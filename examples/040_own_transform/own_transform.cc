#include "kinema/transform.h"

#include <algorithm>
#include <memory>

#include "kinema/plugin.h"

namespace {

using namespace kinema;

// A bad line: now and then the frame before stands still in place of the next one. What is decoded is decided
// here; a frame that is there twice is decoded once.
struct DroppedFrames final : Transform {
  double probability = 0.1;
  void plan(ClipPlan& plan, Random& random) const override {
    for (std::size_t k = 1; k < plan.frames.size(); ++k)
      if (random.chance(probability)) plan.frames[k] = plan.frames[k - 1];
  }
};

// A thumb on the lens: one rectangle of the picture is of one grey in all frames of a clip.
struct CutOut final : Transform {
  double share = 0.3;  // of the picture's height and width
  std::int64_t grey = 114;
  void pixels(const PixelView& clip, Random& random) const override {
    const int width = static_cast<int>(share * clip.size.width);
    const int height = static_cast<int>(share * clip.size.height);
    const auto left = static_cast<int>(random.below(static_cast<std::uint64_t>(clip.size.width - width) + 1));
    const auto top =
        static_cast<int>(random.below(static_cast<std::uint64_t>(clip.size.height - height) + 1));
    const std::int64_t row = std::int64_t{3} * clip.size.width;
    for (std::int64_t frame = 0; frame < clip.frames; ++frame)
      for (std::int64_t y = top; y < top + height; ++y)
        std::fill_n(clip.data + (frame * clip.size.height + y) * row + std::int64_t{3} * left, 3 * width,
                    static_cast<std::uint8_t>(grey));
  }
};

// Each transform is its own options: the parsed struct becomes the component.
template <class T>
std::shared_ptr<T> itself(const T& parsed, Context&) {
  return std::make_shared<T>(parsed);
}

}  // namespace

KINEMA_PLUGIN("own_transform", "1.0", "two augmentations of your own") {
  registrar.add<Transform>("dropped_frames", "holds a frame in place of the next one, now and then",
                           Options<DroppedFrames>().add("probability", &DroppedFrames::probability,
                                                        "of a frame to be dropped", between(0, 1)),
                           itself<DroppedFrames>);
  registrar.add<Transform>(
      "cut_out", "covers a rectangle, the same in each frame",
      Options<CutOut>()
          .add("share", &CutOut::share, "of the picture's height and width", between(0, 1))
          .add("grey", &CutOut::grey, "what covers it", between(0, 255)),
      itself<CutOut>);
}
