#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kinema/registrar.h"
#include "kinema/transform.h"

// The transforms that the host brings along. Each is its options; the file's names are in transforms.cc.
namespace kinema::data {

// Exactly this size, whatever the shape of the frame.
struct Resize final : Transform {
  std::vector<std::int64_t> size = {128, 171};  // height, width
  void plan(ClipPlan& plan, Random& random) const override;
};

// The short side to `size`, or to a whole number drawn from [low, high]; the long side keeps the shape,
// rounded down.
struct ShortSide final : Transform {
  std::vector<std::int64_t> size = {256};  // one number, or low and high
  void plan(ClipPlan& plan, Random& random) const override;
};

// A window anywhere in the picture; every offset, the last one too, is as likely.
struct RandomCrop final : Transform {
  std::int64_t size = 112;
  void plan(ClipPlan& plan, Random& random) const override;
};

// The middle; an odd margin leaves one pixel more on the left and at the top.
struct CenterCrop final : Transform {
  std::int64_t size = 112;
  void plan(ClipPlan& plan, Random& random) const override;
};

// Spatial view 0, 1 or 2 of 3 along the longer side (the horizontal one of a square): offsets 0,
// ceil((L - size) / 2), L - size. One view: the middle one.
struct UniformCrop final : Transform {
  std::int64_t size = 112;
  void plan(ClipPlan& plan, Random& random) const override;
};

// A window of a drawn area and shape, resized to size x size ("Inception" crop): up to ten tries, then the
// largest centred window of an allowed shape.
struct RandomResizedCrop final : Transform {
  std::int64_t size = 112;
  std::vector<double> area = {0.08, 1.0};           // fraction of the picture
  std::vector<double> aspect = {3.0 / 4, 4.0 / 3};  // width / height, drawn on a log scale
  void plan(ClipPlan& plan, Random& random) const override;
};

// Mirrors left and right.
struct Flip final : Transform {
  double probability = 0.5;
  void plan(ClipPlan& plan, Random& random) const override;
  bool mirrors() const override { return probability > 0; }
};

// One factor for the whole clip, uniform in [1 - amount, 1 + amount]; results are rounded and clamped to
// 0..255.
struct Brightness final : Transform {  // byte * factor
  double amount = 0.4;
  void pixels(const PixelView& clip, Random& random) const override;
};
struct Contrast final : Transform {  // towards the mean grey of each frame
  double amount = 0.4;
  void pixels(const PixelView& clip, Random& random) const override;
};
struct Saturation final : Transform {  // towards the grey of each pixel
  double amount = 0.4;
  void pixels(const PixelView& clip, Random& random) const override;
};

// value = (byte / 255 - mean) / std, done on the compute device.
struct Normalise final : Transform {
  std::vector<double> mean = {0.45, 0.45, 0.45};
  std::vector<double> std = {0.225, 0.225, 0.225};
  void plan(ClipPlan& plan, Random& random) const override;
};

// The arithmetic, for tests and for the checks before a run.
Size short_side_size(Size frame, int short_side);
// Offsets of spatial view 0..2 of a size x size window: {x, y}.
std::array<int, 2> uniform_crop_offset(Size frame, int size, int view);
// The window of an area fraction and a shape; nothing when it does not fit into the frame.
std::optional<Size> resized_crop_window(Size frame, double area_fraction, double log_aspect);
// The largest centred window whose shape lies within the bounds, as {x, y, width, height}.
std::array<int, 4> centred_window(Size frame, double low_aspect, double high_aspect);
// What the pixel transforms do for a given factor.
void scale_brightness(const PixelView& clip, double factor);
void scale_contrast(const PixelView& clip, double factor);
void scale_saturation(const PixelView& clip, double factor);

// Offers all of the above: resize, short_side, random_crop, center_crop, uniform_crop, random_resized_crop,
// flip, brightness, contrast, saturation, normalise.
void register_builtin_transforms(Registrar& registrar);

}  // namespace kinema::data
