#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "framework/data/bad_videos.h"
#include "framework/data/batch.h"
#include "framework/data/buffer_pool.h"
#include "framework/data/clip_source.h"
#include "framework/data/sampler.h"

namespace kinema::data {

struct LoaderSetup {
  std::shared_ptr<const ClipRecipe> recipe;
  std::shared_ptr<const Schedule> schedule;
  std::int64_t workers = 0;  // threads; 0: the caller's own
  bool measure = false;      // begin with `workers`, then as many as the measured work needs, up to the cores
  std::int64_t prefetch = 2;  // batches that may be under way or wait, besides the one that the caller has
  double max_bad_fraction = 0.01;               // training, of the items of an epoch on this rank
  std::optional<std::filesystem::path> ledger;  // bad_videos.tsv
  // A worker that is busy with one item for so long is given up: beyond what the limits of media allow to
  // open and to read, so it does not even look whether it should stop.
  double stuck_s = 240;
};

struct LoaderStats {
  double wait_s = 0;  // the caller stood still in next()
  std::int64_t batches = 0, clips = 0;
  std::int64_t decoder_errors = 0;
  std::int64_t replaced = 0;    // training clips
  std::int64_t unreadable = 0;  // evaluation clips
  std::int64_t stuck = 0;       // workers that were given up
  std::int64_t workers = 0;     // at work now
};

// Delivers the batches of a schedule in order. Bytes do not depend on the number of workers. Memory is
// bounded by `prefetch` + 1 batches and what the caller keeps. All functions belong to one thread.
//
// A video that cannot be read: in training another item takes its place (Replacements), the ledger gets an
// entry, and next() throws Error(data) with the list when too many are bad; in evaluation its clip stays 0
// with ClipInfo::valid false. Any other exception of a worker comes out of the next() of its batch; the epoch
// is over then, start() begins a new one.
//
// A worker that is stuck in a decoder is given up and another one begins in its place; its item counts as one
// that cannot be read, and the batch is made anew, as the lost thread may still write into the old one. With
// the third one next() throws Error(data). Workers = 0 has nobody to watch it.
class Loader {
 public:
  explicit Loader(LoaderSetup setup);
  // Waits for the clips that are being decoded at the moment, and for no more.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Begins (or begins anew) at micro-batch `first` of an epoch; what was under way is dropped. At once:
  // nothing is replayed.
  void start(std::uint64_t epoch, std::int64_t first = 0);
  // The next batch, or null at the end of the epoch.
  std::unique_ptr<Batch> next();
  // Ends the epoch early: workers go idle, next() gives null.
  void stop();

  std::int64_t batches() const;      // of an epoch
  const LoaderStats& stats() const;  // since construction, or reset_stats()
  void reset_stats();
  const BadVideoLedger& ledger() const;
  // Lists bad videos in a file, too. Before the first next().
  void write_ledger(std::filesystem::path file);
  std::size_t buffers_allocated() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // with the workers, of which one may be lost
};

// What `workers = "auto"` begins with: cores - 1, at least 1.
std::int64_t automatic_workers();

}  // namespace kinema::data
