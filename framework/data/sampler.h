#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "framework/config/experiment.h"

namespace kinema::data {

// One clip to make.
struct ClipRequest {
  std::size_t item = 0;
  std::uint64_t epoch = 0;
  std::int64_t temporal_view = 0;  // training: which of the draws of this item in this epoch
  std::int64_t spatial_view = 0;
  std::int64_t again = 0;  // training: how often the epoch had this draw of the item before
  bool operator==(const ClipRequest&) const = default;
};

// Position in the job: which of how many equal processes.
struct Rank {
  std::int64_t rank = 0;
  std::int64_t world = 1;
};

// Which clips make up each micro-batch of an epoch, for one rank. Immutable; threads may share it.
class Schedule {
 public:
  virtual ~Schedule();
  // Micro-batches of this rank; in training equal on all ranks and in all epochs.
  virtual std::int64_t batches() const = 0;
  // How many clips micro-batch `number` has: the same in every epoch.
  virtual std::int64_t clips(std::int64_t number) const = 0;
  // The clips of micro-batch `number` of 0 .. batches() - 1.
  virtual std::vector<ClipRequest> batch(std::uint64_t epoch, std::int64_t number) const = 0;
};

struct TrainScheduleOptions {
  std::size_t items = 0;
  std::int64_t clips_per_video = 1;
  std::int64_t batch = 1;  // clips per rank and micro-batch
  Rank rank;
  std::uint64_t seed = 1;
  bool shuffle = true;
  bool drop_last = true;
  std::int64_t repeated = 1;  // times that each clip is in the order, in a row
  config::Balance balance = config::Balance::none;
  std::vector<std::int64_t> labels = {};  // of the items, for Balance::by_class
  std::vector<double> weights = {};       // of the items, for Balance::by_weight
  std::optional<std::int64_t> limit;      // micro-batches an epoch
};

// The order of an epoch is a permutation of all items x clips_per_video that depends on (seed, epoch) alone;
// of as many that balance draws (item_order.h) where it does; with each of them `repeated` times in a row.
// The global micro-batch b holds the positions from b * batch * world on, and rank r takes r, r + world, ...
// of them: any world size with the same global batch sees the same clips in the same steps. drop_last leaves
// out the last, short global micro-batch; otherwise it is kept, filled up from the start of the order to a
// multiple of `world` so that every rank takes part. Any position costs the same: the order of one epoch is
// kept (8 bytes a clip).
class TrainSchedule final : public Schedule {
 public:
  // Throws Error(data) when there is not a single micro-batch, and where items lack what balance goes by;
  // Error(usage) when a global micro-batch does not hold whole groups of `repeated` clips.
  explicit TrainSchedule(const TrainScheduleOptions& options);
  ~TrainSchedule() override;
  std::int64_t batches() const override { return batches_; }
  std::int64_t clips(std::int64_t number) const override;
  std::vector<ClipRequest> batch(std::uint64_t epoch, std::int64_t number) const override;

 private:
  struct Order;
  std::shared_ptr<const Order> order_of(std::uint64_t epoch) const;
  TrainScheduleOptions options_;
  std::int64_t total_ = 0;  // clips of the epoch, padding included
  std::int64_t batches_ = 0;
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

struct EvalScheduleOptions {
  std::size_t items = 0;
  std::int64_t temporal_views = 1;
  std::int64_t spatial_views = 1;
  std::int64_t batch = 1;
  Rank rank;
  std::optional<std::int64_t> limit;  // items over all ranks, spread evenly over the data set
};

// Every item exactly once over all ranks: rank r takes items r, r + world, ..., each with all its views one
// after another (temporal first, spatial inside). The last batch may be short; a rank may have none.
class EvalSchedule final : public Schedule {
 public:
  explicit EvalSchedule(const EvalScheduleOptions& options);
  std::int64_t batches() const override;
  std::int64_t clips(std::int64_t number) const override;
  std::vector<ClipRequest> batch(std::uint64_t epoch, std::int64_t number) const override;
  // Of this rank.
  std::int64_t items() const { return items_; }

 private:
  EvalScheduleOptions options_;
  std::int64_t used_ = 0;   // items over all ranks
  std::int64_t items_ = 0;  // of this rank
};

}  // namespace kinema::data
