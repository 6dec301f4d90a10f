#include "framework/data/shared_cache.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "kinema/error.h"

namespace kinema::data {
namespace {

constexpr double kGigabyte = 1e9;
// Pages of files here live in memory and are shared by all processes; a mount of every Linux.
constexpr const char* kShared = "/dev/shm";

std::filesystem::path memory_folder(int short_side) {
  return fmt::format("{}/kinema-cache-{}-{}", kShared, ::geteuid(), short_side);
}

// Of the machine, without swapping.
std::int64_t available_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kKey = "MemAvailable:";
    if (line.starts_with(kKey)) return std::stoll(line.substr(kKey.size())) * 1024;
  }
  return std::numeric_limits<std::int64_t>::max();
}

// Besides what the cache holds already.
void check_memory(const std::filesystem::path& folder, std::int64_t budget) {
  struct statvfs room {};
  if (::statvfs(kShared, &room) != 0) return;
  std::int64_t there = 0;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(folder, none))
    if (file.is_regular_file(none)) there += static_cast<std::int64_t>(file.file_size(none));
  const std::int64_t free =
      std::min(static_cast<std::int64_t>(room.f_bavail * room.f_frsize), available_memory()) + there;
  if (budget <= free) return;
  throw Error(
      ErrorKind::usage, "loader.cache.budget_gb",
      fmt::format("more than there is of shared memory: expected at most {:.3f}, got {:.3f}",
                  static_cast<double>(free) / kGigabyte, static_cast<double>(budget) / kGigabyte),
      fmt::format("`df -h {}` and `free` show the limits (containers: --shm-size); or store = \"disk\"",
                  kShared, kShared));
}

}  // namespace

std::shared_ptr<FrameCache> frame_cache(const config::CacheOptions& options) {
  if (options.store == config::FrameStore::none) return nullptr;
  FrameCacheOptions wanted;
  wanted.short_side = static_cast<int>(options.short_side);
  wanted.budget_bytes = static_cast<std::int64_t>(options.budget_gb * kGigabyte);
  wanted.remove_when_unused = options.store == config::FrameStore::memory;
  wanted.folder = wanted.remove_when_unused ? memory_folder(wanted.short_side) : *options.folder;
  static std::mutex mutex;
  static std::map<std::pair<std::string, int>, std::weak_ptr<FrameCache>> open;
  const std::lock_guard lock(mutex);
  std::weak_ptr<FrameCache>& known = open[{wanted.folder.string(), wanted.short_side}];
  if (auto cache = known.lock()) return cache;
  if (wanted.remove_when_unused) check_memory(wanted.folder, wanted.budget_bytes);
  auto cache = std::make_shared<FrameCache>(std::move(wanted));
  known = cache;
  return cache;
}

std::string summary_of(const FrameCache::Stats& stats) {
  const std::int64_t asked = stats.hits + stats.misses;
  std::string text = fmt::format("cache: {} % of {} blocks were there, {:.2f} GB kept",
                                 asked == 0 ? 0 : 100 * stats.hits / asked, asked,
                                 static_cast<double>(stats.bytes) / kGigabyte);
  const auto add = [&text](std::int64_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(stats.evicted, "removed for room");
  add(stats.damaged, "damaged and made anew");
  add(stats.refused, "not taken: the disk is full or the budget small");
  return text;
}

}  // namespace kinema::data
