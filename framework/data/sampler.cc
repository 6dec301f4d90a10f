#include "framework/data/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "framework/data/item_order.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

void check_repeated(const TrainScheduleOptions& options) {
  const std::int64_t global = options.batch * options.rank.world;
  if (global % options.repeated == 0) return;
  throw Error(
      ErrorKind::usage, "loader.repeated",
      fmt::format("the clips of an item would be split over batches: expected a divisor of batch x ranks "
                  "= {} x {}, got {}",
                  options.batch, options.rank.world, options.repeated),
      "choose loader.batch as a multiple of loader.repeated");
}

void check_labels(const std::vector<std::int64_t>& labels) {
  const auto without = std::count_if(labels.begin(), labels.end(), [](std::int64_t l) { return l < 0; });
  if (without == 0) return;
  throw Error(
      ErrorKind::data, "loader.balance",
      fmt::format("items without a class of their own: expected one label each, got none for {} of {}",
                  without, labels.size()),
      "balance = \"weight\" goes by the weights that the data set gives its items");
}

void check_weights(const std::vector<double>& weights) {
  const auto bad =
      std::find_if(weights.begin(), weights.end(), [](double w) { return !(w >= 0) || !std::isfinite(w); });
  const bool all_0 = std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; });
  if (bad == weights.end() && !all_0) return;
  throw Error(ErrorKind::data, "loader.balance",
              bad == weights.end()
                  ? std::string("all weights are 0: expected one above, got none")
                  : fmt::format("impossible weight: expected a number of at least 0, got {} of item {}", *bad,
                                bad - weights.begin()));
}

// One for each clip of an item.
template <class T>
std::vector<T> spread(const std::vector<T>& of_items, std::int64_t clips_per_video) {
  std::vector<T> of_clips;
  for (const T& value : of_items)
    of_clips.insert(of_clips.end(), static_cast<std::size_t>(clips_per_video), value);
  return of_clips;
}

std::vector<EpochClip> epoch_clips(const TrainScheduleOptions& options, std::uint64_t epoch) {
  std::vector<EpochClip> clips;
  if (options.balance == config::Balance::by_class)
    clips = balanced_clips(spread(options.labels, options.clips_per_video), options.seed, epoch);
  else if (options.balance == config::Balance::by_weight)
    clips = weighted_clips(spread(options.weights, options.clips_per_video), options.seed, epoch);
  else
    clips = every_clip(
        static_cast<std::uint32_t>(options.items * static_cast<std::size_t>(options.clips_per_video)));
  if (options.shuffle) shuffle(clips, options.seed, epoch);
  return options.repeated == 1 ? clips : repeated(clips, static_cast<std::uint32_t>(options.repeated));
}

}  // namespace

Schedule::~Schedule() = default;

struct TrainSchedule::Order {
  std::uint64_t epoch = 0;
  std::vector<EpochClip> clips;
};

struct TrainSchedule::Cache {
  std::mutex mutex;
  std::shared_ptr<const Order> order;
};

TrainSchedule::TrainSchedule(const TrainScheduleOptions& options)
    : options_(options), cache_(std::make_unique<Cache>()) {
  check_repeated(options);
  if (options.balance == config::Balance::by_class) check_labels(options.labels);
  if (options.balance == config::Balance::by_weight) check_weights(options.weights);
  const std::int64_t clips =
      static_cast<std::int64_t>(options.items) * options.clips_per_video * options.repeated;
  const std::int64_t global = options.batch * options.rank.world;
  if (clips > std::int64_t{UINT32_MAX})
    throw Error(ErrorKind::data, "training data",
                fmt::format("too many clips an epoch: expected at most {}, got {}", UINT32_MAX, clips));
  total_ =
      options.drop_last ? clips / global * global : divide_up(clips, options.rank.world) * options.rank.world;
  batches_ = divide_up(total_, global);
  if (options.limit) batches_ = std::min(batches_, *options.limit);
  if (batches_ > 0) return;
  throw Error(ErrorKind::data, "training data",
              fmt::format("not a single batch an epoch: expected at least {} clips, got {}",
                          options.drop_last ? global : 1, clips),
              clips == 0 ? "look at the data set's root, lists and filters"
                         : "lower loader.batch, or set loader.drop_last = false");
}

TrainSchedule::~TrainSchedule() = default;

std::shared_ptr<const TrainSchedule::Order> TrainSchedule::order_of(std::uint64_t epoch) const {
  const std::lock_guard lock(cache_->mutex);
  if (cache_->order && cache_->order->epoch == epoch) return cache_->order;
  auto order = std::make_shared<Order>();
  order->epoch = epoch;
  order->clips = epoch_clips(options_, epoch);
  return cache_->order = order;
}

std::int64_t TrainSchedule::clips(std::int64_t number) const {
  const std::int64_t share = total_ / options_.rank.world;
  return std::clamp<std::int64_t>(share - number * options_.batch, 0, options_.batch);
}

std::vector<ClipRequest> TrainSchedule::batch(std::uint64_t epoch, std::int64_t number) const {
  const std::shared_ptr<const Order> order = order_of(epoch);
  const auto per_video = static_cast<std::uint32_t>(options_.clips_per_video);
  std::vector<ClipRequest> requests(static_cast<std::size_t>(clips(number)));
  std::size_t position =
      static_cast<std::size_t>(number * options_.batch * options_.rank.world + options_.rank.rank);
  for (ClipRequest& request : requests) {
    const auto [clip, again] = order->clips[position % order->clips.size()];
    request = {clip / per_video, epoch, clip % per_video, 0, again};
    position += static_cast<std::size_t>(options_.rank.world);
  }
  return requests;
}

EvalSchedule::EvalSchedule(const EvalScheduleOptions& options) : options_(options) {
  used_ = static_cast<std::int64_t>(options.items);
  if (options.limit) used_ = std::min(used_, *options.limit);
  items_ = std::max<std::int64_t>(0, divide_up(used_ - options.rank.rank, options.rank.world));
}

std::int64_t EvalSchedule::batches() const {
  return divide_up(items_ * options_.temporal_views * options_.spatial_views, options_.batch);
}

std::int64_t EvalSchedule::clips(std::int64_t number) const {
  const std::int64_t all = items_ * options_.temporal_views * options_.spatial_views;
  return std::clamp<std::int64_t>(all - number * options_.batch, 0, options_.batch);
}

std::vector<ClipRequest> EvalSchedule::batch(std::uint64_t epoch, std::int64_t number) const {
  const std::int64_t views = options_.temporal_views * options_.spatial_views;
  std::vector<ClipRequest> requests(static_cast<std::size_t>(clips(number)));
  std::int64_t position = number * options_.batch;
  for (ClipRequest& request : requests) {
    const std::int64_t chosen = position / views * options_.rank.world + options_.rank.rank;
    // A limit takes items from the whole data set: sorted by class, its start would be one class.
    const auto item =
        static_cast<unsigned __int128>(chosen) * options_.items / static_cast<unsigned __int128>(used_);
    const std::int64_t view = position % views;
    request = {static_cast<std::size_t>(item), epoch, view / options_.spatial_views,
               view % options_.spatial_views};
    ++position;
  }
  return requests;
}

}  // namespace kinema::data
