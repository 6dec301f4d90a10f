#include "framework/data/cached_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "framework/data/numbered_pictures.h"
#include "framework/data/rgb_window.h"
#include "framework/data/shard_set.h"

namespace kinema::data {
namespace {

class CachedSource final : public OpenSource {
 public:
  CachedSource(const Source& source, const media::Limits& limits, std::shared_ptr<const ShardSet> shards,
               std::shared_ptr<FrameCache> cache, std::string stamp)
      : source_(source),
        limits_(limits),
        shards_(std::move(shards)),
        cache_(std::move(cache)),
        stamp_(std::move(stamp)) {
    if (const auto known = cache_->facts(stamp_)) {
      facts_ = *known;
    } else {
      OpenSource& open = opened();
      facts_ = {open.size(), open.frame_count(), open.fps(), open.channels()};
      cache_->put_facts(stamp_, facts_);
    }
    kept_ = cache_->kept_size(facts_.size);
  }
  Size size() const override { return facts_.size; }
  std::int64_t frame_count() const override { return facts_.frame_count; }
  double fps() const override { return facts_.fps; }
  std::int64_t channels() const override { return facts_.channels; }

  ReadFacts read(std::span<const std::int64_t> frames, const Geometry& geometry, std::uint8_t* out) override {
    if (complains_) return opened().read(frames, geometry, out);
    std::map<std::int64_t, FrameCache::Pixels> blocks;
    for (const std::int64_t frame : frames) {
      FrameCache::Pixels& block = blocks[frame / FrameCache::kBlock];
      if (block == nullptr) block = block_of(frame / FrameCache::kBlock);
      if (complains_) return opened().read(frames, geometry, out);
    }
    const RgbWindow window(kept_, scaled(geometry, facts_.size, kept_));
    for (const std::int64_t frame : frames) {
      const std::uint8_t* block = blocks[frame / FrameCache::kBlock].get();
      window.cut(block + static_cast<std::size_t>(frame % FrameCache::kBlock) * frame_bytes(), resampler_,
                 out);
      if (geometry.flip && facts_.channels == kFlowChannels) turn_flow({out, window.bytes()});
      out += window.bytes();
    }
    return {};
  }

 private:
  OpenSource& opened() {
    if (open_ == nullptr) open_ = open_source(source_, limits_, shards_.get());
    return *open_;
  }
  std::size_t frame_bytes() const {
    return static_cast<std::size_t>(kept_.width) * static_cast<std::size_t>(kept_.height) * 3;
  }
  FrameCache::Pixels block_of(std::int64_t block);
  FrameCache::Pixels decoded(std::int64_t first, std::int64_t count);

  Source source_;
  media::Limits limits_;
  std::shared_ptr<const ShardSet> shards_;
  std::shared_ptr<FrameCache> cache_;
  std::string stamp_;
  FrameCache::Facts facts_;
  Size kept_;
  std::unique_ptr<OpenSource> open_;
  bool complains_ = false;
  media::Resampler resampler_;
};

// Null, and complains_, when the decoder has something to say.
FrameCache::Pixels CachedSource::decoded(std::int64_t first, std::int64_t count) {
  auto pixels =
      std::make_shared_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(count) * frame_bytes());
  std::vector<std::int64_t> frames;
  for (std::int64_t i = 0; i < count; ++i) frames.push_back(first + i);
  Geometry geometry = Geometry::whole(facts_.size);
  geometry.resize(kept_);
  complains_ = opened().read(frames, geometry, pixels.get()).decoder_errors > 0;
  if (complains_) return nullptr;
  return {pixels, pixels.get()};
}

FrameCache::Pixels CachedSource::block_of(std::int64_t block) {
  const std::int64_t first = block * FrameCache::kBlock;
  const std::int64_t count = std::min(FrameCache::kBlock, facts_.frame_count - first);
  if (auto kept = cache_->find(stamp_, block, count, kept_)) return kept;
  FrameCache::Pixels pixels = decoded(first, count);
  if (pixels != nullptr)
    cache_->put(stamp_, block, count, kept_, {pixels.get(), static_cast<std::size_t>(count) * frame_bytes()});
  return pixels;
}

std::string text_of(const SourceStamp& stamp) { return fmt::format("{}@{}", stamp.bytes, stamp.mtime_ns); }

}  // namespace

std::string source_stamp(const Source& source, const ShardSet* shards) {
  if (source.frames) return {};
  const ShardRecord* part = shards && !source.video.empty() ? shards->find(source.video) : nullptr;
  if (part != nullptr) return fmt::format("shard\n{}\n{:016x}", part->place.bytes, part->place.checksum);
  if (!source.video.empty())
    return fmt::format("{}\n{}", source.video.string(), text_of(source_stamp(source.video)));
  std::string text =
      fmt::format("{}\n{}\n{}", source.pattern.string(), source.pattern_down.string(), source.pattern_fps);
  for (const std::filesystem::path& file : pictures_of(source)) text += "\n" + text_of(source_stamp(file));
  return text;
}

std::unique_ptr<OpenSource> open_cached(const Source& source, const media::Limits& limits,
                                        std::shared_ptr<const ShardSet> shards,
                                        std::shared_ptr<FrameCache> cache) {
  std::string stamp = source_stamp(source, shards.get());
  if (stamp.empty()) return open_source(source, limits);
  return std::make_unique<CachedSource>(source, limits, std::move(shards), std::move(cache),
                                        std::move(stamp));
}

}  // namespace kinema::data
