#include "inception.h"

#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/cat.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "blocks/clip_input.h"
#include "blocks/same_padding.h"
#include "inception_keys.h"
#include "kinema/error.h"

namespace kinema::i3d {
namespace {

using blocks::SameMaxPool3d;
using blocks::SameUnit;
using blocks::SameUnitOptions;

// Channels of the branches: 1x1x1; 1x1x1 and 3x3x3; 1x1x1 and 3x3x3; pool and 1x1x1.
using Branches = std::array<std::int64_t, 6>;

std::int64_t channels_of(const Branches& b) { return b[0] + b[2] + b[4] + b[5]; }

class Mixed final : public Layer {
 public:
  Mixed(std::int64_t in, const Branches& b)
      : b0_(unit("b0", in, b[0], 1)),
        b1a_(unit("b1a", in, b[1], 1)),
        b1b_(unit("b1b", b[1], b[2], 3)),
        b2a_(unit("b2a", in, b[3], 1)),
        b2b_(unit("b2b", b[3], b[4], 3)),
        b3a_(child<SameMaxPool3d>("b3a", 3, 1)),
        b3b_(unit("b3b", in, b[5], 1)) {}

 protected:
  at::Tensor forward(const at::Tensor& x) override {
    return at::cat({b0_(x), b1b_(b1a_(x)), b2b_(b2a_(x)), b3b_(b3a_(x))}, 1);
  }

 private:
  Child<SameUnit> unit(const char* name, std::int64_t in, std::int64_t out, std::int64_t kernel) {
    return child<SameUnit>(name, SameUnitOptions{.in = in, .out = out, .kernel = kernel});
  }

  Child<SameUnit> b0_, b1a_, b1b_, b2a_, b2b_;
  Child<SameMaxPool3d> b3a_;
  Child<SameUnit> b3b_;
};

// The table of the paper's figure: one end point after the other.
struct EndPoint {
  const char* name;
  enum { unit, pool, mixed } kind;
  std::array<std::int64_t, 3> kernel, stride;
  std::int64_t out;   // of a unit
  Branches branches;  // of a mixed one
};
const EndPoint kEndPoints[] = {
    {"Conv3d_1a_7x7", EndPoint::unit, {7, 7, 7}, {2, 2, 2}, 64, {}},
    {"MaxPool3d_2a_3x3", EndPoint::pool, {1, 3, 3}, {1, 2, 2}, 0, {}},
    {"Conv3d_2b_1x1", EndPoint::unit, {1, 1, 1}, {1, 1, 1}, 64, {}},
    {"Conv3d_2c_3x3", EndPoint::unit, {3, 3, 3}, {1, 1, 1}, 192, {}},
    {"MaxPool3d_3a_3x3", EndPoint::pool, {1, 3, 3}, {1, 2, 2}, 0, {}},
    {"Mixed_3b", EndPoint::mixed, {}, {}, 0, {64, 96, 128, 16, 32, 32}},
    {"Mixed_3c", EndPoint::mixed, {}, {}, 0, {128, 128, 192, 32, 96, 64}},
    {"MaxPool3d_4a_3x3", EndPoint::pool, {3, 3, 3}, {2, 2, 2}, 0, {}},
    {"Mixed_4b", EndPoint::mixed, {}, {}, 0, {192, 96, 208, 16, 48, 64}},
    {"Mixed_4c", EndPoint::mixed, {}, {}, 0, {160, 112, 224, 24, 64, 64}},
    {"Mixed_4d", EndPoint::mixed, {}, {}, 0, {128, 128, 256, 24, 64, 64}},
    {"Mixed_4e", EndPoint::mixed, {}, {}, 0, {112, 144, 288, 32, 64, 64}},
    {"Mixed_4f", EndPoint::mixed, {}, {}, 0, {256, 160, 320, 32, 128, 128}},
    {"MaxPool3d_5a_2x2", EndPoint::pool, {2, 2, 2}, {2, 2, 2}, 0, {}},
    {"Mixed_5b", EndPoint::mixed, {}, {}, 0, {256, 160, 320, 32, 128, 128}},
    {"Mixed_5c", EndPoint::mixed, {}, {}, 0, {384, 192, 384, 48, 128, 128}},
};

Extent<3> extent(const std::array<std::int64_t, 3>& e) { return {e[0], e[1], e[2]}; }

// What the maps of the last end point are averaged over: frames, height, width.
constexpr std::array<std::int64_t, 3> kPool = {2, 7, 7};
// The end points halve the frames three times and the sides five times, rounding up.
constexpr std::int64_t kFewestFrames = (kPool[0] - 1) * 8 + 1, kShortestSide = (kPool[1] - 1) * 32 + 1;

// The classifier: a convolution over single positions, under the name that it has in pytorch-i3d.
class Logits final : public Layer {
 public:
  Logits(std::int64_t in, std::int64_t classes)
      : conv_(child<Conv3d>("conv3d", Conv3dOptions{.in = in, .out = classes})) {}

 protected:
  at::Tensor forward(const at::Tensor& x) override { return conv_(x); }

 private:
  Child<Conv3d> conv_;
};

class Inception final : public Model, public HasKeyMaps, public HasFeatures {
 public:
  Inception(const I3dOptions& options, std::int64_t classes);
  Output forward(const ClipBatch& batch) override;
  std::vector<at::Tensor> features(const ClipBatch& batch) override;
  std::vector<std::int64_t> feature_channels() const override { return {channels_}; }
  std::string head() const override { return "logits"; }
  std::vector<KeyMap> checkpoint_key_maps() const override { return inception_key_maps(); }

 private:
  // A number of channels of the published network, in the width asked for.
  std::int64_t scaled(std::int64_t channels) const {
    return std::max<std::int64_t>(1, (channels * options_.width + 32) / 64);
  }
  void add(const EndPoint& point);
  void check_size(const at::Tensor& clip) const;

  I3dOptions options_;
  std::int64_t channels_;  // behind the last end point added
  Child<Logits> logits_;
  std::vector<Child<Layer>> end_points_;
  Child<Dropout> dropout_;
};

Inception::Inception(const I3dOptions& o, std::int64_t classes)
    : options_(o), channels_(blocks::channels_of(o.modality)) {
  Branches last = std::end(kEndPoints)[-1].branches;
  for (std::int64_t& channels : last) channels = scaled(channels);
  logits_ = child<Logits>("logits", channels_of(last), classes);
  for (const EndPoint& point : kEndPoints) add(point);
  dropout_ = child<Dropout>("dropout", o.dropout);
}

void Inception::add(const EndPoint& point) {
  std::shared_ptr<Layer> layer;
  if (point.kind == EndPoint::unit) {
    const std::int64_t out = scaled(point.out);
    layer = std::make_shared<SameUnit>(SameUnitOptions{
        .in = channels_, .out = out, .kernel = extent(point.kernel), .stride = extent(point.stride)});
    channels_ = out;
  } else if (point.kind == EndPoint::pool) {
    layer = std::make_shared<SameMaxPool3d>(extent(point.kernel), extent(point.stride));
  } else {
    Branches branches = point.branches;
    for (std::int64_t& channels : branches) channels = scaled(channels);
    layer = std::make_shared<Mixed>(channels_, branches);
    channels_ = channels_of(branches);
  }
  end_points_.push_back(child_of<Layer>(point.name, layer));
}

void Inception::check_size(const at::Tensor& clip) const {
  const std::int64_t frames = clip.size(2), side = std::min(clip.size(3), clip.size(4));
  if (options_.adaptive_pool || (frames >= kFewestFrames && side >= kShortestSide)) return;
  std::ostringstream wrong;
  wrong << "too small: expected at least " << kFewestFrames << " frames of " << kShortestSide << " x "
        << kShortestSide << " pixels, got " << frames << " of " << clip.size(3) << " x " << clip.size(4);
  throw Error(ErrorKind::run, "clip " + options_.modality, wrong.str(),
              "adaptive_pool = true of the model takes any size");
}

std::vector<at::Tensor> Inception::features(const ClipBatch& batch) {
  at::Tensor x = blocks::checked_clip(batch, options_.modality);
  for (const Child<Layer>& point : end_points_)
    x = block(
        *this, point->name(), [&](const at::Tensor& in) { return point(in); }, x);
  return {x};
}

Output Inception::forward(const ClipBatch& batch) {
  check_size(blocks::checked_clip(batch, options_.modality));
  const at::Tensor map = features(batch)[0];
  std::array<std::int64_t, 3> window;
  for (std::size_t d = 0; d < 3; ++d)
    window[d] = std::min(kPool[d], map.size(static_cast<std::int64_t>(d) + 2));
  // One place in height and width, but for clips larger than 224 pixels.
  const at::Tensor logits = logits_(dropout_(at::avg_pool3d(map, window, 1))).mean(at::IntArrayRef({3, 4}));
  Output output{logits.mean(2), {{"time_logits", logits}}};
  if (!training()) output.extra["probabilities"] = blocks::activate(output.logits, options_.activation);
  return output;
}

}  // namespace

std::shared_ptr<Model> make_inception(const I3dOptions& options, std::int64_t classes) {
  return std::make_shared<Inception>(options, classes);
}

}  // namespace kinema::i3d
