#include "framework/data/frame_cache.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <chrono>
#include <cstring>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "framework/data/cache_folder.h"
#include "framework/data/transforms.h"

namespace kinema::data {
namespace {

using Clock = std::chrono::steady_clock;

// The first bytes of a file; contents follow at kHeaderBytes, so that they begin on a page of their own.
struct Header {
  char magic[8] = {'K', 'N', 'M', 'C', 'A', 'C', 'H', '1'};
  XXH128_hash_t stamp{};
  std::int64_t block = 0;  // kFacts: a Facts instead of pixels
  std::int64_t frames = 0, width = 0, height = 0;
  std::int64_t bytes = 0;  // of the contents
  std::uint64_t contents = 0;
};
constexpr std::size_t kHeaderBytes = 4096;
constexpr std::int64_t kFacts = -1;
constexpr std::size_t kMostMapped = 16384;  // a process may have 65,530 mappings by default

Header header_of(const std::string& stamp, std::int64_t block, std::int64_t frames, Size size) {
  Header header;
  header.stamp = XXH3_128bits(stamp.data(), stamp.size());
  header.block = block;
  header.frames = frames;
  header.width = size.width;
  header.height = size.height;
  return header;
}

std::string name_of(const Header& header) {
  const std::string hash = fmt::format("{:016x}{:016x}", header.stamp.high64, header.stamp.low64);
  if (header.block == kFacts) return hash + ".facts";
  return fmt::format("{}.{}x{}.{}", hash, header.width, header.height, header.block);
}

// A whole file, read only.
struct Mapping {
  const std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  explicit Mapping(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || status.st_size < static_cast<std::int64_t>(kHeaderBytes)) return;
    const auto length = static_cast<std::size_t>(status.st_size);
    void* at = ::mmap(nullptr, length, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (at == MAP_FAILED) return;
    bytes = static_cast<const std::uint8_t*>(at);
    size = length;
  }
  ~Mapping() {
    if (bytes != nullptr) ::munmap(const_cast<std::uint8_t*>(bytes), size);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  const std::uint8_t* contents() const { return bytes + kHeaderBytes; }
  bool holds(const Header& wanted) const {
    if (bytes == nullptr) return false;
    Header found;
    std::memcpy(&found, bytes, sizeof(found));
    Header expected = wanted;
    expected.bytes = static_cast<std::int64_t>(size - kHeaderBytes);
    expected.contents = found.contents;
    return std::memcmp(&found, &expected, sizeof(found)) == 0 &&
           XXH3_64bits(contents(), size - kHeaderBytes) == found.contents;
  }
};

}  // namespace

struct FrameCache::State {
  FrameCacheOptions options;
  CacheFolder folder;
  std::mutex mutex;
  struct Slot {
    std::string name;
    std::shared_ptr<const Mapping> mapping;
    Clock::time_point touched;
  };
  std::list<Slot> slots;  // used last first
  std::unordered_map<std::string, std::list<Slot>::iterator> by_name;
  Stats stats;

  explicit State(FrameCacheOptions given)
      : options(std::move(given)),
        folder({options.folder, options.budget_bytes, options.remove_when_unused}) {}

  std::shared_ptr<const Mapping> opened(const std::string& name) const;
  void keep(const std::string& name, std::shared_ptr<const Mapping> mapping);
  std::shared_ptr<const Mapping> known(const std::string& name);
  std::shared_ptr<const Mapping> mapped(const Header& header);
  bool put(Header header, std::span<const std::uint8_t> contents);
  void drop(std::list<Slot>::iterator slot);
};

void FrameCache::State::drop(std::list<Slot>::iterator slot) {
  by_name.erase(slot->name);
  slots.erase(slot);
}

// A block that this process has mapped; not when another process has removed its file: that memory is to be
// given back.
std::shared_ptr<const Mapping> FrameCache::State::known(const std::string& name) {
  const auto found = by_name.find(name);
  if (found == by_name.end()) return nullptr;
  const auto slot = found->second;
  const Clock::time_point now = Clock::now();
  if (now - slot->touched > std::chrono::duration<double>(kTouch)) {
    if (!folder.touch(name)) {
      drop(slot);
      return nullptr;
    }
    slot->touched = now;
  }
  slots.splice(slots.begin(), slots, slot);
  return slot->mapping;
}

std::shared_ptr<const Mapping> FrameCache::State::opened(const std::string& name) const {
  const int fd = folder.open(name);
  if (fd < 0) return nullptr;
  auto mapping = std::make_shared<const Mapping>(fd);
  ::close(fd);
  return mapping;
}

// With the mutex held.
void FrameCache::State::keep(const std::string& name, std::shared_ptr<const Mapping> mapping) {
  if (by_name.contains(name)) return;
  slots.push_front({name, std::move(mapping), Clock::now()});
  by_name[name] = slots.begin();
  if (slots.size() > kMostMapped) drop(std::prev(slots.end()));
}

std::shared_ptr<const Mapping> FrameCache::State::mapped(const Header& header) {
  const std::string name = name_of(header);
  {
    const std::lock_guard lock(mutex);
    if (auto mapping = known(name)) {
      ++stats.hits;
      return mapping;
    }
  }
  std::shared_ptr<const Mapping> mapping = opened(name);
  const bool damaged = mapping != nullptr && !mapping->holds(header);
  if (damaged) {
    folder.remove(name);
    mapping = nullptr;
  }
  const std::lock_guard lock(mutex);
  stats.damaged += damaged;
  ++(mapping ? stats.hits : stats.misses);
  if (mapping == nullptr) return mapping;
  folder.touch(name);
  keep(name, mapping);
  return mapping;
}

bool FrameCache::State::put(Header header, std::span<const std::uint8_t> contents) {
  header.bytes = static_cast<std::int64_t>(contents.size());
  header.contents = XXH3_64bits(contents.data(), contents.size());
  std::array<std::uint8_t, kHeaderBytes> first{};
  std::memcpy(first.data(), &header, sizeof(header));
  const std::array<std::span<const std::uint8_t>, 2> parts = {first, contents};
  const auto removed = [this](const std::string& name) {
    const std::lock_guard lock(mutex);
    ++stats.evicted;
    if (const auto found = by_name.find(name); found != by_name.end()) drop(found->second);
  };
  const std::string name = name_of(header);
  const CacheFolder::Outcome outcome = folder.put(name, parts, removed);
  // What this process wrote itself needs no second look.
  auto mapping = outcome == CacheFolder::Outcome::stored ? opened(name) : nullptr;
  const bool whole = mapping != nullptr && mapping->bytes != nullptr;
  const std::lock_guard lock(mutex);
  stats.refused += outcome == CacheFolder::Outcome::refused;
  if (whole) keep(name, std::move(mapping));
  return outcome != CacheFolder::Outcome::refused;
}

FrameCache::FrameCache(FrameCacheOptions options) : state_(std::make_unique<State>(std::move(options))) {}
FrameCache::~FrameCache() = default;

std::optional<FrameCache::Facts> FrameCache::facts(const std::string& stamp) {
  const auto mapping = state_->mapped(header_of(stamp, kFacts, 0, {}));
  if (mapping == nullptr || mapping->size != kHeaderBytes + sizeof(Facts)) return std::nullopt;
  Facts facts;
  std::memcpy(&facts, mapping->contents(), sizeof(facts));
  return facts;
}

void FrameCache::put_facts(const std::string& stamp, const Facts& facts) {
  std::array<std::uint8_t, sizeof(Facts)> bytes;
  std::memcpy(bytes.data(), &facts, sizeof(facts));
  state_->put(header_of(stamp, kFacts, 0, {}), bytes);
}

Size FrameCache::kept_size(Size size) const {
  const int most = state_->options.short_side;
  return most == 0 || std::min(size.width, size.height) <= most ? size : short_side_size(size, most);
}

FrameCache::Pixels FrameCache::find(const std::string& stamp, std::int64_t block, std::int64_t frames,
                                    Size kept) {
  auto mapping = state_->mapped(header_of(stamp, block, frames, kept));
  const std::size_t bytes =
      static_cast<std::size_t>(frames * kept.width) * static_cast<std::size_t>(kept.height) * 3;
  if (mapping == nullptr || mapping->size != kHeaderBytes + bytes) return nullptr;
  const std::uint8_t* pixels = mapping->contents();
  return {std::move(mapping), pixels};
}

bool FrameCache::put(const std::string& stamp, std::int64_t block, std::int64_t frames, Size kept,
                     std::span<const std::uint8_t> pixels) {
  return state_->put(header_of(stamp, block, frames, kept), pixels);
}

FrameCache::Stats FrameCache::stats() const {
  const std::lock_guard lock(state_->mutex);
  Stats stats = state_->stats;
  stats.bytes = state_->folder.used_bytes();
  return stats;
}

}  // namespace kinema::data
