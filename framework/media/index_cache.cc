#include <list>
#include <mutex>
#include <unordered_map>

#include "framework/media/index.h"

namespace kinema::media {

std::size_t Index::bytes() const {
  return sizeof(Index) + packets.capacity() * sizeof(IndexPacket) + frames.capacity() * sizeof(IndexFrame) +
         entries.capacity() * sizeof(IndexEntry);
}

struct IndexCache::State {
  struct Slot {
    std::string path;
    std::int64_t file_bytes;
    std::int64_t mtime_ns;
    IndexPtr index;
  };
  mutable std::mutex mutex;
  std::list<Slot> slots;  // most recently used first
  std::unordered_map<std::string, std::list<Slot>::iterator> by_path;
  std::size_t budget = 0;
  std::size_t used = 0;

  void drop(std::list<Slot>::iterator slot) {
    used -= slot->index->bytes();
    by_path.erase(slot->path);
    slots.erase(slot);
  }
  void shrink() {
    while (used > budget && slots.size() > 1) drop(std::prev(slots.end()));
  }
};

IndexCache::IndexCache(std::size_t budget_bytes) : state_(std::make_unique<State>()) {
  state_->budget = budget_bytes;
}
IndexCache::~IndexCache() = default;

IndexCache& IndexCache::global() {
  static IndexCache cache;
  return cache;
}

IndexPtr IndexCache::find(const std::string& path, std::int64_t file_bytes, std::int64_t mtime_ns) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->by_path.find(path);
  if (found == state_->by_path.end()) return nullptr;
  const auto slot = found->second;
  if (slot->file_bytes != file_bytes || slot->mtime_ns != mtime_ns) {
    state_->drop(slot);
    return nullptr;
  }
  state_->slots.splice(state_->slots.begin(), state_->slots, slot);
  return slot->index;
}

void IndexCache::put(const std::string& path, std::int64_t file_bytes, std::int64_t mtime_ns,
                     IndexPtr index) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->by_path.find(path);
  if (found != state_->by_path.end()) state_->drop(found->second);
  state_->used += index->bytes();
  state_->slots.push_front({path, file_bytes, mtime_ns, std::move(index)});
  state_->by_path[path] = state_->slots.begin();
  state_->shrink();
}

void IndexCache::clear() {
  const std::lock_guard lock(state_->mutex);
  state_->by_path.clear();
  state_->slots.clear();
  state_->used = 0;
}

std::size_t IndexCache::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->slots.size();
}

void IndexCache::set_budget(std::size_t bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->budget = bytes;
  state_->shrink();
}

}  // namespace kinema::media
