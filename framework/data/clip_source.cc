#include "framework/data/clip_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/data/cached_source.h"
#include "framework/data/flip_labels.h"
#include "framework/data/rgb_window.h"
#include "framework/data/timed_labels.h"
#include "kinema/error.h"
#include "kinema/random.h"

namespace kinema::data {
namespace {

// Same numbers for plan() and pixels() of one transform, and for any replacement of the item.
class Draws {
 public:
  Draws(const ClipRecipe& recipe, const ClipRequest& request)
      : seed_(recipe.seed),
        // Evaluation looks at the same clips after every epoch.
        epoch_(recipe.training ? request.epoch : 0),
        index_(request.item * static_cast<std::uint64_t>(recipe.temporal.views) +
               static_cast<std::uint64_t>(request.temporal_view)),
        again_(request.again == 0 ? std::string() : fmt::format(".again{}", request.again)) {}
  Random of_clip() const { return Random(seed_, epoch_, index_, "clip" + again_); }
  Random of_transform(std::size_t position) const {
    return Random(seed_, epoch_, index_, fmt::format("transform.{}{}", position, again_));
  }

 private:
  std::uint64_t seed_, epoch_, index_;
  std::string again_;
};

void check_plan(const PlannedSource& planned) {
  const auto& frames = planned.plan.frames;
  const auto outside = std::find_if(frames.begin(), frames.end(),
                                    [&](std::int64_t f) { return f < 0 || f >= planned.frame_count; });
  if (frames.empty())
    throw Error(ErrorKind::plugin, "transform",
                "a plan without frames: expected at least one frame number, got none");
  if (outside != frames.end())
    throw Error(ErrorKind::plugin, "transform",
                fmt::format("a plan beyond the file: expected frames 0 to {}, got {}",
                            planned.frame_count - 1, *outside));
}

// Before any transform; `frame_count` is how many frames there are to choose from.
ClipPlan first_plan(const ClipRecipe& recipe, const ClipRequest& request, const Item& item,
                    const PlannedSource& source, std::int64_t frame_count) {
  ClipPlan plan;
  plan.fps = source.fps;
  plan.training = recipe.training;
  plan.temporal_view = static_cast<int>(request.temporal_view);
  plan.temporal_views = static_cast<int>(recipe.temporal.views);
  plan.spatial_view = static_cast<int>(request.spatial_view);
  plan.spatial_views = static_cast<int>(recipe.spatial_views);
  const FrameRange range = frame_range(item.span, frame_count, source.fps);
  plan.frame_count = range.count();
  if (item.span.unit == Span::Unit::centre || item.span.unit == Span::Unit::centre_seconds) {
    const std::int64_t centre = centre_frame(item.span, frame_count, source.fps);
    plan.frames = frames_around(recipe.temporal, centre, frame_count, source.fps);
  } else {
    Random random = Draws(recipe, request).of_clip();
    plan.frames = clip_frames(recipe.temporal, range, source.fps, request.temporal_view, random);
  }
  const Size size = source.frame;
  plan.geometry = Geometry::whole(size);
  for (const LabelledBox& box : item.target.boxes)
    plan.boxes.push_back(
        {box.x1 * size.width, box.y1 * size.height, box.x2 * size.width, box.y2 * size.height});
  return plan;
}

ClipPlan transformed_plan(const ClipRecipe& recipe, const ClipRequest& request, const Item& item,
                          const PlannedSource& source, std::int64_t frame_count) {
  ClipPlan plan = first_plan(recipe, request, item, source, frame_count);
  const Draws draws(recipe, request);
  for (std::size_t t = 0; t < recipe.transforms.size(); ++t) {
    Random random = draws.of_transform(t);
    recipe.transforms[t]->plan(plan, random);
  }
  return plan;
}

// Whether a frame number means the same moment in both.
bool in_step(const PlannedSource& a, const PlannedSource& b) {
  return a.channels == kFlowChannels || b.channels == kFlowChannels || a.fps == b.fps;
}

void plan_sources(const ClipRecipe& recipe, PlannedClip& clip) {
  PlannedSource& first = clip.sources.front();
  std::int64_t common = first.frame_count;
  for (const PlannedSource& source : clip.sources)
    if (in_step(first, source)) common = std::min(common, source.frame_count);
  first.plan = transformed_plan(recipe, clip.request, clip.item, first, common);
  for (std::size_t s = 1; s < clip.sources.size(); ++s) {
    PlannedSource& source = clip.sources[s];
    source.plan = in_step(first, source)
                      ? first.plan
                      : transformed_plan(recipe, clip.request, clip.item, source, source.frame_count);
    source.plan.geometry = scaled(first.plan.geometry, first.frame, source.frame);
    source.plan.boxes = first.plan.boxes;
  }
  for (PlannedSource& source : clip.sources) {
    if (source.channels == kFlowChannels) {
      source.plan.mean = recipe.flow_mean;
      source.plan.std = recipe.flow_std;
    }
    check_plan(source);
  }
}

bool same_source(const Source& a, const Source& b) {
  return a.video == b.video && a.pattern == b.pattern && a.pattern_down == b.pattern_down &&
         a.frames == b.frames && a.first_number == b.first_number && a.pattern_fps == b.pattern_fps;
}

// What a decoder keeps grows with the size of its pictures: a quarter for small ones, one from 1280x720 on.
double share_of(const OpenSource& source) {
  const double pixels = static_cast<double>(source.size().width) * source.size().height;
  return std::clamp(pixels / (1280.0 * 720), 0.25, 1.0);
}

}  // namespace

struct ClipReader::Entry {
  Source source;
  std::unique_ptr<OpenSource> open;
};

ClipReader::ClipReader(std::shared_ptr<const ClipRecipe> recipe, std::size_t open_files)
    : recipe_(std::move(recipe)), capacity_(std::max<std::size_t>(1, open_files)) {}
ClipReader::~ClipReader() = default;

OpenSource& ClipReader::open(const Source& source) {
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Entry& entry) { return same_source(entry.source, source); });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
  } else {
    std::unique_ptr<OpenSource> open =
        recipe_->cache ? open_cached(source, recipe_->limits, recipe_->shards, recipe_->cache)
                       : open_source(source, recipe_->limits, recipe_->shards.get());
    kept_.push_front({source, std::move(open)});
    double shares = share_of(*kept_.front().open);
    const auto fits = [&](const Entry& entry) {
      return (shares += share_of(*entry.open)) <= static_cast<double>(capacity_);
    };
    kept_.erase(std::find_if_not(std::next(kept_.begin()), kept_.end(), fits), kept_.end());
  }
  return *kept_.front().open;
}

void ClipReader::close_files() { kept_.clear(); }

ClipReader::Task ClipReader::task() const {
  const std::lock_guard lock(mutex_);
  return task_;
}

void ClipReader::begin() {
  const std::lock_guard lock(mutex_);
  task_.since = std::chrono::steady_clock::now();
}

PlannedClip ClipReader::plan(const ClipRequest& request, std::size_t item) {
  {
    const std::lock_guard lock(mutex_);
    task_ = {item, std::chrono::steady_clock::now()};
  }
  PlannedClip clip;
  clip.request = request;
  clip.used = item;
  clip.item = recipe_->dataset->item(item);
  if (clip.item.sources.empty())
    throw Error(
        ErrorKind::plugin, "data set",
        fmt::format("item {} ({}) has no source: expected at least one, got none", item, clip.item.key));
  for (const Source& source : clip.item.sources) {
    const OpenSource& opened = open(source);
    clip.sources.push_back({source, opened.size(), opened.frame_count(), opened.fps(), opened.channels()});
  }
  plan_sources(*recipe_, clip);
  const PlannedSource& first = clip.sources.front();
  if (recipe_->training && !clip.item.target.timed.empty())
    keep_shown(clip.item.target, first.plan.frames, first.fps);
  if (first.plan.geometry.flip) mirror(clip.item.target, recipe_->mirrored);
  if (!recipe_->item_weights) clip.item.weight = 1;
  return clip;
}

ReadFacts ClipReader::read(const PlannedClip& clip, std::size_t s, std::uint8_t* out) {
  return read_until(clip, s, recipe_->transforms.size(), out);
}

ReadFacts ClipReader::read_until(const PlannedClip& clip, std::size_t s, std::size_t transforms,
                                 std::uint8_t* out) {
  const PlannedSource& planned = clip.sources.at(s);
  OpenSource& source = open(planned.source);
  ReadFacts facts;
  try {
    facts = source.read(planned.plan.frames, planned.plan.geometry, out);
  } catch (...) {
    kept_.pop_front();  // its decoder is in an unknown state
    throw;
  }
  if (planned.channels == kFlowChannels) return facts;
  const PixelView view{out, static_cast<std::int64_t>(planned.plan.frames.size()), planned.plan.size()};
  const Draws draws(*recipe_, clip.request);
  for (std::size_t t = 0; t < transforms; ++t) {
    Random random = draws.of_transform(t);
    recipe_->transforms[t]->pixels(view, random);
  }
  return facts;
}

ReadFacts ClipReader::read_whole(const PlannedClip& clip, std::size_t s, std::uint8_t* out) {
  const PlannedSource& planned = clip.sources.at(s);
  return open(planned.source).read(planned.plan.frames, Geometry::whole(planned.frame), out);
}

ClipInfo clip_info(const PlannedClip& clip) {
  const PlannedSource& first = clip.sources.front();
  ClipInfo info;
  info.index = clip.request.item;
  info.used = clip.used;
  info.key = clip.item.key;
  info.path = source_name(first.source);
  info.target = clip.item.target;
  info.weight = clip.item.weight;
  info.temporal_view = clip.request.temporal_view;
  info.spatial_view = clip.request.spatial_view;
  info.frames = first.plan.frames;
  info.geometry = first.plan.geometry;
  info.mean = first.plan.mean;
  info.std = first.plan.std;
  info.frame_count = first.frame_count;
  info.fps = first.fps;
  return info;
}

}  // namespace kinema::data
