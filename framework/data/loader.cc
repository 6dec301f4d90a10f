#include "framework/data/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "framework/data/batch_builder.h"
#include "framework/data/worker_count.h"
#include "framework/tracking/clock.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

// A batch in the window, guarded by the loader's mutex except for what the builder does.
struct Slot {
  std::int64_t number;
  BatchBuilder builder;
  std::size_t claimed = 0;     // clips given to workers
  std::size_t unfinished = 0;  // clips not made yet
};

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMostStuck = 3;
constexpr auto kWatch = std::chrono::milliseconds(500);

std::int64_t cores() {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::thread::hardware_concurrency()));
}

// A thread that makes clips. Guarded by the loader's mutex; the reader watches itself.
struct Worker {
  Worker(std::shared_ptr<const ClipRecipe> recipe, std::int64_t number)
      : reader(std::move(recipe)), number(number) {}
  ClipReader reader;
  std::int64_t number;  // those from WorkerCount::count() on rest
  std::thread thread;
  std::shared_ptr<Slot> slot;  // null: idle
  bool lost = false;
};

}  // namespace

struct Loader::State : std::enable_shared_from_this<Loader::State> {
  explicit State(LoaderSetup given)
      : setup(std::move(given)),
        replacements(setup.recipe->dataset, setup.recipe->seed),
        ledger(setup.ledger),
        count(setup.workers, setup.measure ? std::max(setup.workers, cores()) : setup.workers) {}

  LoaderSetup setup;
  Replacements replacements;
  BadVideoLedger ledger;
  BufferPool pool;
  LoaderStats stats;
  std::vector<BadVideo> bad_of_epoch;
  std::set<std::size_t> bad_items;
  std::unique_ptr<ClipReader> own_reader;

  std::mutex mutex;
  std::condition_variable work, ready;
  bool quit = false;
  std::uint64_t epoch = 0;
  std::int64_t next_number = 0;  // the next micro-batch to begin
  std::int64_t end = 0;
  std::deque<std::shared_ptr<Slot>> window;  // the front is what next() gives
  std::vector<std::shared_ptr<Worker>> workers;
  std::int64_t lost = 0;  // workers, since construction
  WorkerCount count;
  double work_s = 0;                      // CPU time of workers since the last batch was taken
  std::optional<Clock::time_point> left;  // when next() gave a batch

  bool stuck(const Worker& worker) const;

  std::shared_ptr<Slot> make_slot(std::int64_t number);
  std::shared_ptr<Slot> claimable();
  void hire();
  void fill_up();
  void run(Worker& worker);
  void watch();
  void measure(double waited_s, Clock::time_point began);
  void give_up(std::shared_ptr<Worker>& worker);
  std::shared_ptr<Slot> take_front();
  std::shared_ptr<Slot> make_here();
  void account(const Batch& batch);
  void halt();
};

// With the mutex held.
std::shared_ptr<Slot> Loader::State::make_slot(std::int64_t number) {
  std::vector<ClipRequest> requests;
  std::exception_ptr error;
  try {
    requests = setup.schedule->batch(epoch, number);
  } catch (...) {
    error = std::current_exception();
  }
  const std::size_t clips = requests.size();
  auto slot = std::shared_ptr<Slot>(new Slot{number, {epoch, number, std::move(requests)}, 0, clips});
  if (error) slot->builder.fail(error);
  return slot;
}

// With the mutex held: the first batch that still has a clip to make; null when there is nothing to do.
std::shared_ptr<Slot> Loader::State::claimable() {
  for (const auto& slot : window)
    if (slot->claimed < slot->builder.clips()) return slot;
  const auto room = static_cast<std::size_t>(std::max<std::int64_t>(1, setup.prefetch));
  if (window.size() >= room || next_number >= end) return nullptr;
  window.push_back(make_slot(next_number++));
  if (window.back()->unfinished == 0) ready.notify_one();
  return window.back();
}

// With the mutex held.
void Loader::State::hire() {
  std::int64_t number = 0;  // the first that nobody has
  const auto taken = [&](const auto& worker) { return worker->number == number; };
  while (std::ranges::any_of(workers, taken)) ++number;
  workers.push_back(std::make_shared<Worker>(setup.recipe, number));
  // A lost thread may outlive the loader.
  workers.back()->thread =
      std::thread([state = shared_from_this(), worker = workers.back()] { state->run(*worker); });
}

void Loader::State::run(Worker& worker) {
  std::unique_lock lock(mutex);
  while (!quit) {
    const bool rests = worker.number >= count.count();
    if (rests) worker.reader.close_files();
    const std::shared_ptr<Slot> slot = rests ? nullptr : claimable();
    if (!slot) {
      work.wait(lock);
      continue;
    }
    if (slot->claimed == slot->builder.clips()) continue;  // it failed before it had clips
    const std::size_t clip = slot->claimed++;
    worker.slot = slot;
    worker.reader.begin();
    lock.unlock();
    const double before_s = tracking::thread_cpu_s();
    slot->builder.make(clip, worker.reader, *setup.recipe, replacements, pool);
    const double made_s = tracking::thread_cpu_s() - before_s;
    lock.lock();
    if (worker.lost) return;
    work_s += made_s;
    worker.slot = nullptr;
    if (--slot->unfinished == 0 || quit) ready.notify_all();
  }
}

// With the mutex held.
bool Loader::State::stuck(const Worker& worker) const {
  const auto limit = std::chrono::duration<double>(setup.stuck_s);
  return worker.slot != nullptr && Clock::now() - worker.reader.task().since >= limit;
}

// With the mutex held: a thread that never comes back is replaced, and what it works on with it.
void Loader::State::give_up(std::shared_ptr<Worker>& worker) {
  const std::size_t item = worker->reader.task().item;
  replacements.quarantine(item);
  worker->lost = true;
  worker->thread.detach();
  ++stats.stuck;
  ++lost;
  const auto place = std::find(window.begin(), window.end(), worker->slot);
  if (place != window.end()) *place = make_slot(worker->slot->number);
  worker = nullptr;
  ledger.add(stuck_video(*setup.recipe, epoch, item));  // its batch may never be finished
  if (lost < kMostStuck) return;
  throw Error(
      ErrorKind::data, "loader",
      fmt::format("decoders are stuck: expected fewer than {} of a run, got the last one in item {} ({})",
                  kMostStuck, item, setup.recipe->dataset->item(item).key),
      "bad_videos.tsv lists the files; repair or remove them");
}

// With the mutex held.
void Loader::State::watch() {
  for (auto& worker : workers)
    if (stuck(*worker)) give_up(worker);
  fill_up();
  work.notify_all();
}

// With the mutex held: as many workers as there should be, in place of those that were given up.
void Loader::State::fill_up() {
  std::erase(workers, nullptr);
  while (std::ssize(workers) < count.count()) hire();
}

// After next() has waited `waited_s` for a batch.
void Loader::State::measure(double waited_s, Clock::time_point began) {
  const std::lock_guard lock(mutex);
  const double away_s = left ? std::chrono::duration<double>(began - *left).count() : 0;
  if (setup.measure && setup.workers > 0 && left) count.took(work_s, waited_s, away_s);
  work_s = 0;
  left = Clock::now();
  fill_up();
}

std::shared_ptr<Slot> Loader::State::take_front() {
  std::unique_lock lock(mutex);
  if (window.empty() && next_number >= end) return nullptr;
  while (!ready.wait_for(lock, kWatch, [this] { return !window.empty() && window.front()->unfinished == 0; }))
    watch();
  std::shared_ptr<Slot> slot = std::move(window.front());
  window.pop_front();
  lock.unlock();
  work.notify_all();
  return slot;
}

std::shared_ptr<Slot> Loader::State::make_here() {
  if (next_number >= end) return nullptr;
  if (!own_reader) own_reader = std::make_unique<ClipReader>(setup.recipe);
  std::shared_ptr<Slot> slot = make_slot(next_number++);
  for (std::size_t i = 0; i < slot->builder.clips(); ++i)
    slot->builder.make(i, *own_reader, *setup.recipe, replacements, pool);
  return slot;
}

void Loader::State::account(const Batch& batch) {
  ++stats.batches;
  stats.clips += batch.clips;
  for (const ClipInfo& info : batch.infos) {
    stats.decoder_errors += info.decoder_errors;
    stats.unreadable += info.valid ? 0 : 1;
    stats.replaced += info.used != info.index ? 1 : 0;
  }
  for (const BadVideo& bad : batch.bad) {
    ledger.add(bad);
    if (bad_items.insert(bad.index).second) bad_of_epoch.push_back(bad);
  }
  if (!setup.recipe->training || batch.bad.empty() || end == 0) return;
  const std::int64_t seen = (end - 1) * setup.schedule->clips(0) + setup.schedule->clips(end - 1);
  check_bad_fraction(bad_of_epoch, seen, setup.max_bad_fraction);
}

void Loader::State::halt() {
  const std::lock_guard lock(mutex);
  window.clear();
  next_number = end;
}

Loader::Loader(LoaderSetup setup) : state_(std::make_shared<State>(std::move(setup))) {}

Loader::~Loader() {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  s.quit = true;
  s.work.notify_all();
  std::erase(s.workers, nullptr);
  for (const auto& worker : s.workers) {
    while (worker->slot != nullptr && !s.stuck(*worker)) s.ready.wait_for(lock, kWatch);
    worker->lost = worker->slot != nullptr;
    if (worker->lost) worker->thread.detach();
  }
  lock.unlock();
  for (const auto& worker : s.workers)
    if (worker->thread.joinable()) worker->thread.join();
}

void Loader::start(std::uint64_t epoch, std::int64_t first) {
  State& s = *state_;
  {
    const std::lock_guard lock(s.mutex);
    s.window.clear();
    s.epoch = epoch;
    s.next_number = first;
    s.end = s.setup.schedule->batches();
    s.left.reset();
    s.fill_up();
  }
  s.bad_of_epoch.clear();
  s.bad_items.clear();
  s.work.notify_all();
}

std::unique_ptr<Batch> Loader::next() {
  State& s = *state_;
  const Clock::time_point began = Clock::now();
  std::unique_ptr<Batch> batch;
  try {
    if (const std::shared_ptr<Slot> slot = s.setup.workers > 0 ? s.take_front() : s.make_here()) {
      batch = slot->builder.finish(*s.setup.recipe, s.pool);
      s.account(*batch);
    }
  } catch (...) {
    s.halt();
    throw;
  }
  const double waited_s = std::chrono::duration<double>(Clock::now() - began).count();
  s.stats.wait_s += waited_s;
  if (batch) s.measure(waited_s, began);
  return batch;
}

void Loader::stop() { state_->halt(); }

std::int64_t Loader::batches() const { return state_->setup.schedule->batches(); }
const LoaderStats& Loader::stats() const {
  const std::lock_guard lock(state_->mutex);
  state_->stats.workers = state_->setup.workers > 0 ? state_->count.count() : 0;
  return state_->stats;
}
void Loader::reset_stats() { state_->stats = {}; }
const BadVideoLedger& Loader::ledger() const { return state_->ledger; }
void Loader::write_ledger(std::filesystem::path file) { state_->ledger = BadVideoLedger(std::move(file)); }
std::size_t Loader::buffers_allocated() const { return state_->pool.allocations(); }

std::int64_t automatic_workers() { return std::max<std::int64_t>(1, cores() - 1); }

}  // namespace kinema::data
