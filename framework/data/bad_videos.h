#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "framework/data/batch.h"
#include "kinema/dataset.h"

namespace kinema::data {

// Which item stands in for one that cannot be read: a function of (seed, epoch, index), the same class first.
// Thread safe.
class Replacements {
 public:
  Replacements(std::shared_ptr<const Dataset> dataset, std::uint64_t seed);
  // Candidate `attempt` of 0 .. kAttempts - 1; never `index` itself unless it is the only item.
  std::size_t candidate(std::uint64_t epoch, std::size_t index, int attempt) const;
  // From now on the item counts as one that cannot be read, without being opened.
  void quarantine(std::size_t index);
  bool quarantined(std::size_t index) const;
  static constexpr int kSameClass = 8;  // attempts within the class, then
  static constexpr int kAttempts = 16;  // among all items

 private:
  void index_classes() const;
  std::shared_ptr<const Dataset> dataset_;
  std::uint64_t seed_;
  mutable std::once_flag indexed_;
  mutable std::vector<std::int64_t> label_;  // by item
  mutable std::map<std::int64_t, std::vector<std::size_t>> of_class_;
  mutable std::mutex mutex_;
  std::set<std::size_t> quarantined_;
};

// The list of videos that could not be read, each once, with the reason. Used by one thread.
class BadVideoLedger {
 public:
  // New entries are appended to `file` (tab separated: epoch, index, key, path, reason), made with a header
  // when it is new. No file: kept in memory only.
  explicit BadVideoLedger(std::optional<std::filesystem::path> file = {});
  // False when the item was there already. Throws Error(run) when the file cannot be written.
  bool add(const BadVideo& video);
  const std::vector<BadVideo>& entries() const { return entries_; }

 private:
  std::optional<std::filesystem::path> file_;
  std::map<std::pair<std::size_t, std::string>, bool> known_;
  std::vector<BadVideo> entries_;
};

// Throws Error(data) with the list when more than `max_fraction` of the `seen` items of an epoch are bad.
void check_bad_fraction(const std::vector<BadVideo>& bad, std::int64_t seen, double max_fraction);

}  // namespace kinema::data
