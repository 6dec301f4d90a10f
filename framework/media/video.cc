#include "framework/media/video.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "framework/media/container.h"
#include "framework/media/convert.h"
#include "framework/media/frame_reader.h"
#include "framework/media/index_builder.h"
#include "framework/media/message_count.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

IndexPtr cached_or_built(Container& container, const Limits& limits) {
  const FileStamp stamp = container.stamp();
  IndexCache& cache = IndexCache::global();
  const std::string key = key_of(container.part());
  IndexPtr index = cache.find(key, stamp.bytes, stamp.mtime_ns);
  if (index != nullptr && (index->decoded || !limits.index_by_decoding)) return index;
  container.set_deadline(limits.seconds_per_open, "seconds_per_open");
  if (container.hinted()) container.reopen_afresh();
  index = std::make_shared<const Index>(build_index(container, limits));
  cache.put(key, stamp.bytes, stamp.mtime_ns, index);
  return index;
}

StreamHint hint_of(const IndexPtr& index) {
  if (index == nullptr) return {};
  return {index->info.stream, std::static_pointer_cast<const AVCodecParameters>(index->stream_parameters)};
}

struct Target {
  std::uint32_t frame;
  std::size_t slot;
  auto operator<=>(const Target&) const = default;
};

}  // namespace

IndexPtr index_of(const std::string& path, const Limits& limits) {
  const FileStamp stamp = stamp_of({path});
  const IndexPtr index = IndexCache::global().find(path, stamp.bytes, stamp.mtime_ns);
  if (index != nullptr && (index->decoded || !limits.index_by_decoding)) return index;
  Container container({path}, limits);
  return cached_or_built(container, limits);
}

IndexPtr cached_index(const VideoPart& part) {
  const FileStamp stamp = stamp_of(part);
  return IndexCache::global().find(key_of(part), stamp.bytes, stamp.mtime_ns);
}

struct Video::State {
  Limits limits;
  FrameReader reader;
  Converter converter;

  State(Container container, IndexPtr index, const Limits& limits)
      : limits(limits), reader(std::move(container), std::move(index), limits) {}

  void check(std::span<const std::int64_t> frames, const Geometry& geometry) const;
  bool read_once(const std::vector<Target>& targets, const Geometry& geometry, std::uint8_t* out);
  void recover(int attempt);
};

Video::Video(std::unique_ptr<State> state) : state_(std::move(state)) {}
Video::Video(Video&&) noexcept = default;
Video& Video::operator=(Video&&) noexcept = default;
Video::~Video() = default;

Video Video::open(const std::string& path, const Limits& limits) {
  return open(VideoPart{path}, nullptr, limits);
}

Video Video::open(const VideoPart& part, const IndexPtr& known, const Limits& limits) {
  const FileStamp stamp = stamp_of(part);
  IndexCache& cache = IndexCache::global();
  const std::string key = key_of(part);
  IndexPtr cached = cache.find(key, stamp.bytes, stamp.mtime_ns);
  if (cached == nullptr && known != nullptr) cache.put(key, stamp.bytes, stamp.mtime_ns, cached = known);
  Container container(part, limits, hint_of(cached));
  IndexPtr index = cached_or_built(container, limits);
  const MessageCount unheard;
  return Video(std::make_unique<State>(std::move(container), std::move(index), limits));
}

const VideoInfo& Video::info() const { return state_->reader.index().info; }
const Index& Video::index() const { return state_->reader.index(); }

double Video::frame_time_s(std::int64_t frame) const {
  const auto& frames = index().frames;
  if (frame < 0 || frame >= static_cast<std::int64_t>(frames.size())) {
    throw Error(ErrorKind::data, state_->reader.container().path(),
                fmt::format("frame out of range: expected 0 to {}, got {}", frames.size() - 1, frame));
  }
  return frames[static_cast<std::size_t>(frame)].time_s;
}

std::int64_t Video::frame_at(double time_s) const {
  const auto& frames = index().frames;
  const auto after = std::ranges::upper_bound(frames, time_s, {}, &IndexFrame::time_s);
  return std::max<std::int64_t>(0, after - frames.begin() - 1);
}

void Video::State::check(std::span<const std::int64_t> frames, const Geometry& geometry) const {
  const std::string& path = const_cast<FrameReader&>(reader).container().path();
  const std::int64_t count = reader.index().info.frame_count;
  for (const std::int64_t frame : frames) {
    if (frame >= 0 && frame < count) continue;
    throw Error(ErrorKind::data, path,
                fmt::format("frame out of range: expected 0 to {}, got {}", count - 1, frame));
  }
  const auto positive = [](const Rect& rect) { return rect.width > 0 && rect.height > 0; };
  if (geometry.output.width < 1 || geometry.output.height < 1 || !positive(geometry.source) ||
      !positive(geometry.clamp)) {
    throw Error(
        ErrorKind::data, path,
        fmt::format(
            "empty window: expected a source, clamp and output of at least one pixel, got output {} x {}",
            geometry.output.width, geometry.output.height));
  }
}

// False when the file did something else than its index says.
bool Video::State::read_once(const std::vector<Target>& targets, const Geometry& geometry,
                             std::uint8_t* out) {
  std::vector<std::uint32_t> wanted;
  for (const Target& target : targets) {
    if (wanted.empty() || wanted.back() != target.frame) wanted.push_back(target.frame);
  }
  reader.expect(wanted);
  const VideoInfo& info = reader.index().info;
  const std::size_t frame_bytes = std::size_t{3} * static_cast<std::size_t>(geometry.output.width) *
                                  static_cast<std::size_t>(geometry.output.height);
  const Target* previous = nullptr;
  for (const Target& target : targets) {
    std::uint8_t* place = out + target.slot * frame_bytes;
    if (previous != nullptr && previous->frame == target.frame) {
      std::memcpy(place, out + previous->slot * frame_bytes, frame_bytes);
      continue;
    }
    const AVFrame* frame = reader.fetch(target.frame);
    if (frame == nullptr) {
      return false;
    }
    converter.convert(*frame, info.orientation, info.size, geometry, place);
    previous = &target;
  }
  return true;
}

// First a complete index; then, should even that not be repeatable, decoding from the first frame on.
void Video::State::recover(int attempt) {
  Container& container = reader.container();
  container.set_deadline(limits.seconds_per_open, "seconds_per_open");
  container.reopen_afresh();
  Index index = build_index_by_decoding(container, limits, reader.doubt());
  if (attempt > 0) {
    index.from_start_only = true;
    index.entries.resize(1);
  }
  auto shared = std::make_shared<const Index>(std::move(index));
  IndexCache::global().put(key_of(container.part()), container.stamp().bytes, container.stamp().mtime_ns,
                           shared);
  reader.reset(std::move(shared));
}

ClipReport Video::read(std::span<const std::int64_t> frames, const Geometry& geometry, std::uint8_t* out) {
  State& state = *state_;
  FrameReader& reader = state.reader;
  state.check(frames, geometry);
  std::vector<Target> targets;
  for (std::size_t i = 0; i < frames.size(); ++i)
    targets.push_back({static_cast<std::uint32_t>(frames[i]), i});
  std::ranges::sort(targets);
  ClipReport report;
  MessageCount messages;
  const std::int64_t decoded = reader.decoded(), seeks = reader.seeks(), corrupt = reader.corrupt();
  constexpr int kAttempts = 3;
  bool done = false;
  for (int attempt = 0; attempt < kAttempts && !done; ++attempt) {
    if (attempt > 0) {
      state.recover(attempt - (reader.index().decoded ? 0 : 1));
      state.check(frames, geometry);
      report.reindexed = true;
    }
    reader.container().set_deadline(state.limits.seconds_per_read, "seconds_per_read");
    done = state.read_once(targets, geometry, out);
    if (!done) reader.container().check_deadline();  // an interrupted read looks like another stream
    // Damage that a scan cannot see may have changed the numbers of later frames.
    const bool damaged = messages.errors() > 0 || reader.corrupt() > corrupt;
    if (done && damaged && !reader.index().decoded) done = false;
  }
  if (!done) {
    throw Error(
        ErrorKind::data, reader.container().path(),
        fmt::format("not repeatable: expected the frames of the first decode, got another stream ({})",
                    reader.doubt()));
  }
  const FrameReader::Inherited inherited = reader.inherited();
  report.errors = messages.errors() + inherited.errors;
  report.warnings = messages.warnings();
  report.first_message = messages.errors() > 0 ? messages.first() : inherited.first_message;
  if (report.first_message.empty()) report.first_message = messages.first();
  report.corrupt_frames = reader.corrupt() - corrupt + inherited.corrupt;
  report.decoded_frames = reader.decoded() - decoded;
  report.seeks = reader.seeks() - seeks;
  return report;
}

}  // namespace kinema::media
