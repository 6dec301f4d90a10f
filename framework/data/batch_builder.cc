#include "framework/data/batch_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "framework/data/check.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

constexpr const char* kStuck =
    "a decoder was stuck in it: expected it to end, got no answer; it is not opened again in this run";

std::string reason_of(const Error& error) {
  const Problem& first = error.problems().front();
  return first.what;
}

// What there is to say about an item that may be the very thing that failed.
Item item_or_nothing(const ClipRecipe& recipe, std::size_t index) {
  try {
    return recipe.dataset->item(index);
  } catch (const Error&) {
    Item nothing;
    nothing.key = fmt::format("item {}", index);
    return nothing;
  }
}

BadVideo bad_video(const ClipRecipe& recipe, std::uint64_t epoch, std::size_t index, std::string reason) {
  BadVideo bad{index, epoch, {}, {}, std::move(reason)};
  const Item item = item_or_nothing(recipe, index);
  bad.key = item.key;
  if (!item.sources.empty()) bad.path = source_name(item.sources.front());
  return bad;
}

ClipInfo unreadable(const ClipRecipe& recipe, const ClipRequest& request, const BadVideo& bad) {
  const Item item = item_or_nothing(recipe, request.item);
  ClipInfo info;
  info.index = info.used = request.item;
  info.key = bad.key;
  info.path = bad.path;
  info.target = item.target;
  info.weight = item.weight;
  info.temporal_view = request.temporal_view;
  info.spatial_view = request.spatial_view;
  info.valid = false;
  info.problem = bad.reason;
  return info;
}

// The output size where no clip could tell: what the transforms make of a usual frame.
Size usual_size(const ClipRecipe& recipe) {
  ClipPlan plan;
  plan.geometry = Geometry::whole({320, 240});
  plan.frames = {0};
  plan.frame_count = 1;
  plan.fps = 25;
  plan.training = recipe.training;
  Random random(0);
  try {
    for (const auto& transform : recipe.transforms) transform->plan(plan, random);
  } catch (const Error&) {
    return {1, 1};
  }
  return plan.size();
}

std::vector<BatchBox> boxes_of(const PlannedClip& clip, std::size_t row) {
  const std::vector<ClipPlan::Box>& planned = clip.sources.front().plan.boxes;
  std::vector<BatchBox> boxes;
  for (std::size_t b = 0; b < planned.size() && b < clip.item.target.boxes.size(); ++b) {
    const ClipPlan::Box& box = planned[b];
    if (!(box.x1 < box.x2 && box.y1 < box.y2)) continue;  // cut away
    const LabelledBox& label = clip.item.target.boxes[b];
    boxes.push_back({static_cast<std::int64_t>(row), b, static_cast<float>(box.x1),
                     static_cast<float>(box.y1), static_cast<float>(box.x2), static_cast<float>(box.y2),
                     label.classes, static_cast<float>(label.score)});
  }
  return boxes;
}

}  // namespace

BadVideo stuck_video(const ClipRecipe& recipe, std::uint64_t epoch, std::size_t item) {
  return bad_video(recipe, epoch, item, kStuck);
}

BatchBuilder::BatchBuilder(std::uint64_t epoch, std::int64_t number, std::vector<ClipRequest> requests)
    : requests_(std::move(requests)), rows_(requests_.size()), batch_(std::make_unique<Batch>()) {
  batch_->epoch = epoch;
  batch_->number = number;
  batch_->clips = static_cast<std::int64_t>(requests_.size());
}

void BatchBuilder::make(std::size_t i, ClipReader& reader, const ClipRecipe& recipe,
                        const Replacements& replacements, BufferPool& pool) {
  try {
    fill(i, reader, recipe, replacements, pool);
  } catch (...) {
    rows_[i].error = std::current_exception();
  }
}

void BatchBuilder::fill(std::size_t i, ClipReader& reader, const ClipRecipe& recipe,
                        const Replacements& replacements, BufferPool& pool) {
  const ClipRequest& request = requests_[i];
  Row& row = rows_[i];
  std::vector<Problem> problems;
  for (int attempt = -1; attempt < Replacements::kAttempts; ++attempt) {
    const std::size_t item =
        attempt < 0 ? request.item : replacements.candidate(request.epoch, request.item, attempt);
    try {
      if (replacements.quarantined(item)) throw Error(ErrorKind::data, "quarantine", kStuck);
      return try_item(i, item, reader, pool);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) throw;
      row.bad.push_back(bad_video(recipe, request.epoch, item, reason_of(error)));
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
    if (recipe.training) continue;
    row.info = unreadable(recipe, request, row.bad.back());
    return;
  }
  problems.push_back(
      {fmt::format("clip {} ({})", request.item, row.bad.front().key),
       fmt::format("no other video could take its place: expected a readable one among {}, got none",
                   Replacements::kAttempts),
       "the run folder's bad_videos.tsv lists them; repair or remove them",
       {}});
  throw Error(ErrorKind::data, std::move(problems));
}

void BatchBuilder::try_item(std::size_t i, std::size_t item, ClipReader& reader, BufferPool& pool) {
  const PlannedClip clip = reader.plan(requests_[i], item);
  agree_on_shape(clip, pool);
  ClipInfo info = clip_info(clip);
  for (std::size_t s = 0; s < clip.sources.size(); ++s) {
    const ReadFacts facts = reader.read(clip, s, place(i, s));
    info.decoder_errors += facts.decoder_errors;
    if (info.problem.empty()) info.problem = facts.first_message;
  }
  rows_[i].info = std::move(info);
  rows_[i].boxes = boxes_of(clip, i);
}

void BatchBuilder::agree_on_shape(const PlannedClip& clip, BufferPool& pool) {
  std::vector<Shape> shapes;
  for (const PlannedSource& source : clip.sources)
    shapes.push_back({source.source.modality, static_cast<std::int64_t>(source.plan.frames.size()),
                      source.plan.size(), source.channels});
  const std::lock_guard lock(mutex_);
  if (shapes_.empty()) {
    first_key_ = clip.item.key;
    return allocate(std::move(shapes), pool);
  }
  if (shapes == shapes_) return;
  const auto text = [](const std::vector<Shape>& list) {
    std::string all;
    for (const Shape& s : list)
      all += fmt::format("{}{} {} frames of {}x{}", all.empty() ? "" : " and ", s.modality, s.frames,
                         s.size.width, s.size.height);
    return all;
  };
  throw Error(ErrorKind::usage, "batch",
              fmt::format("clips of one batch differ: expected {} as in {}, got {} in {}", text(shapes_),
                          first_key_, text(shapes), clip.item.key),
              "end the list of transforms with a crop or a resize, or set loader.batch = 1");
}

void BatchBuilder::allocate(std::vector<Shape> shapes, BufferPool& pool) {
  shapes_ = std::move(shapes);
  for (const Shape& s : shapes_)
    pixels_.push_back(pool.take(static_cast<std::size_t>(s.frames) * static_cast<std::size_t>(s.size.width) *
                                static_cast<std::size_t>(s.size.height) * 3 * clips()));
}

// Only after agree_on_shape(): then the shape does not change any more.
std::uint8_t* BatchBuilder::place(std::size_t i, std::size_t modality) const {
  const Shape& s = shapes_[modality];
  return pixels_[modality].get() + static_cast<std::size_t>(s.frames) *
                                       static_cast<std::size_t>(s.size.width) *
                                       static_cast<std::size_t>(s.size.height) * 3 * i;
}

void BatchBuilder::add_targets(std::int64_t classes) {
  Batch& batch = *batch_;
  batch.classes = classes;
  const bool vectors =
      std::any_of(rows_.begin(), rows_.end(), [](const Row& r) { return !r.info.target.values.empty(); });
  if (vectors) batch.values.assign(clips() * static_cast<std::size_t>(classes), 0.0f);
  for (std::size_t i = 0; i < clips(); ++i) {
    const ClipInfo& info = rows_[i].info;
    const auto& values = info.target.values;
    if (std::string wrong = misfit(info.target, classes); !wrong.empty())
      throw Error(ErrorKind::data, fmt::format("clip {} ({})", info.used, info.key), std::move(wrong));
    batch.labels.push_back(info.target.label);
    batch.weights.push_back(info.weight);
    float* row = vectors ? batch.values.data() + i * static_cast<std::size_t>(classes) : nullptr;
    if (row != nullptr && !values.empty()) std::copy(values.begin(), values.end(), row);
    if (row != nullptr && values.empty() && info.target.label >= 0) row[info.target.label] = 1;
  }
}

// What the clips of the batch would have been, had any been readable.
std::vector<BatchBuilder::Shape> BatchBuilder::usual_shapes(const ClipRecipe& recipe) const {
  const Size size = usual_size(recipe);
  std::vector<Shape> shapes;
  for (const Source& source : item_or_nothing(recipe, requests_.front().item).sources)
    shapes.push_back({source.modality, recipe.temporal.frames, size,
                      source.pattern_down.empty() ? std::int64_t{3} : kFlowChannels});
  if (shapes.empty()) shapes.push_back({"rgb", recipe.temporal.frames, size});
  return shapes;
}

void BatchBuilder::add_extra(const ClipRecipe& recipe) {
  for (std::size_t m = 1; m < shapes_.size(); ++m) {
    const Shape& s = shapes_[m];
    const bool flow = s.channels == kFlowChannels;
    batch_->extra.push_back({s.modality, pixels_[m], s.frames, s.size, s.channels,
                             flow ? recipe.flow_mean : batch_->mean, flow ? recipe.flow_std : batch_->std});
  }
}

std::unique_ptr<Batch> BatchBuilder::finish(const ClipRecipe& recipe, BufferPool& pool) {
  if (error_) std::rethrow_exception(error_);
  for (const Row& row : rows_)
    if (row.error) std::rethrow_exception(row.error);
  Batch& batch = *batch_;
  if (shapes_.empty()) allocate(usual_shapes(recipe), pool);
  batch.modality = shapes_[0].modality;
  batch.pixels = pixels_[0];
  batch.frames = shapes_[0].frames;
  batch.size = shapes_[0].size;
  batch.channels = shapes_[0].channels;
  batch.detection = detects(*recipe.dataset);
  add_targets(static_cast<std::int64_t>(recipe.dataset->classes().size()));
  const ClipInfo* first = nullptr;
  for (std::size_t i = 0; i < clips(); ++i) {
    Row& row = rows_[i];
    batch.boxes.insert(batch.boxes.end(), row.boxes.begin(), row.boxes.end());
    batch.bad.insert(batch.bad.end(), row.bad.begin(), row.bad.end());
    if (!row.info.valid) {
      for (std::size_t m = 0; m < shapes_.size(); ++m)
        std::memset(place(i, m), 0, static_cast<std::size_t>(place(1, m) - place(0, m)));
    } else if (first == nullptr) {
      first = &row.info;
      batch.mean = row.info.mean;
      batch.std = row.info.std;
    } else if (row.info.mean != first->mean || row.info.std != first->std) {
      throw Error(
          ErrorKind::usage, "batch",
          fmt::format(
              "mixed normalisation: expected one mean and std in a batch, got different ones for {} and {}",
              first->key, row.info.key),
          "normalise all clips with the same numbers");
    }
  }
  add_extra(recipe);
  for (Row& row : rows_) batch.infos.push_back(std::move(row.info));
  return std::move(batch_);
}

}  // namespace kinema::data
