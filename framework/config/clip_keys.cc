#include "framework/config/clip_keys.h"

#include <set>

namespace kinema::config {
namespace {

Check one_or_two_sizes() {
  Check check;
  check.expected = "one size or [low, high] in pixels";
  check.accepts = [](const Value& value) {
    const auto& list = value.as_array();
    if (list.empty() || list.size() > 2) return false;
    return list[0].as_integer() >= 1 && list[0].as_integer() <= list.back().as_integer();
  };
  return check;
}

// The jitter of [low, high] is training's.
Check one_size() {
  return {"one size in pixels", [](const Value& v) { return v.as_array().size() == 1; }, {}};
}

// A class has one mirror image.
Check pairs_of_classes() {
  Check check;
  check.expected = "pairs of classes, each class in one of them";
  check.accepts = [](const Value& value) {
    std::set<std::string> seen;
    for (const Value& pair : value.as_array()) {
      if (pair.as_array().size() != 2) return false;
      for (const Value& name : pair.as_array())
        if (!seen.insert(name.as_string()).second) return false;
    }
    return true;
  };
  return check;
}

}  // namespace

Options<ClipOptions> clip_options(bool train, bool eval) {
  using O = ClipOptions;
  Options<O> o;
  o.add("frames", &O::frames, "frames in a clip", between(1, 4096));
  o.add("stride", &O::stride, "every how many frames one is taken", between(1, 4096));
  o.add("fps", &O::fps, "resample to this rate first; stride then counts at this rate", above(0));
  o.add_enum("sampling", &O::sampling,
             "where in the video; default: random in train, center or uniform in eval",
             {{"random", Sampling::random},
              {"center", Sampling::center},
              {"uniform", Sampling::uniform},
              {"dense", Sampling::dense},
              {"segments", Sampling::segments}});
  o.add("window", &O::window, "sampling = \"dense\": frames that a clip is spread over", between(1, 65536));
  o.add_enum("rule", &O::rule, "whose arithmetic picks the frames",
             {{"kinema", FrameRule::kinema},
              {"pyslowfast", FrameRule::pyslowfast},
              {"pyslowfast_offset", FrameRule::pyslowfast_offset},
              {"3d_resnets", FrameRule::resnets3d}});
  o.add_enum("beyond", &O::beyond,
             "what stands in for frames beyond the video: its last, or it goes on from its start",
             {{"last", Beyond::last}, {"loop", Beyond::loop}});
  if (train)
    o.add("clips_per_video", &O::clips_per_video, "draws of each training video an epoch", between(1, 1024));
  o.add("resize", &O::resize, "[height, width] exactly; excludes short_side", length(2),
        each(between(1, 8192)));
  if (train)
    o.add("short_side", &O::short_side,
          "shorter side in pixels, or [low, high] for scale jitter in train; eval takes the low one",
          one_or_two_sizes(), each(between(1, 8192)));
  else
    o.add("short_side", &O::short_side, "shorter side in pixels", one_size(), each(between(1, 8192)));
  o.add("crop", &O::crop, "side of the square that the model sees, in pixels", between(1, 8192));
  if (train) {
    o.add("flip", &O::flip, "mirror half of the training clips");
    o.add("flip_labels", &O::flip_labels,
          "{ \"class\" = \"its mirror image\" }, both ways: mirrored clips get the other label",
          pairs_of_classes());
  }
  if (eval) {
    o.add("temporal_views", &O::temporal_views, "clips of a video whose scores are averaged in eval",
          between(1, 1024));
    o.add("spatial_crops", &O::spatial_crops, "crops of a clip whose scores are averaged in eval",
          one_of(1, 3));
  }
  o.add("mean", &O::mean, "per channel, of values in 0..1", length(3));
  o.add("std", &O::std, "per channel, of values in 0..1", length(3), each(above(0)));
  o.add("flow_mean", &O::flow_mean, "of optical flow, [right, down], of values in 0..1", length(2));
  o.add("flow_std", &O::flow_std, "of optical flow, [right, down], of values in 0..1", length(2),
        each(above(0)));
  return o;
}

}  // namespace kinema::config
