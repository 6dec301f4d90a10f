#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <utility>

#include "framework/data/clip_source.h"
#include "framework/data/numbered_pictures.h"
#include "framework/data/rgb_window.h"
#include "framework/data/shard_set.h"
#include "framework/media/video.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

class OpenVideo final : public OpenSource {
 public:
  explicit OpenVideo(media::Video video) : video_(std::move(video)) {}
  Size size() const override { return video_.info().size; }
  std::int64_t frame_count() const override { return video_.info().frame_count; }
  double fps() const override { return video_.info().fps; }
  ReadFacts read(std::span<const std::int64_t> frames, const Geometry& geometry, std::uint8_t* out) override {
    const media::ClipReport report = video_.read(frames, geometry, out);
    return {report.errors + report.corrupt_frames, report.first_message};
  }

 private:
  media::Video video_;
};

class OwnPixels final : public OpenSource {
 public:
  explicit OwnPixels(std::shared_ptr<const FrameSource> frames)
      : frames_(std::move(frames)), facts_(frames_->facts()) {
    if (facts_.size.width < 1 || facts_.size.height < 1 || facts_.frame_count < 1)
      throw Error(ErrorKind::data, "frame source",
                  fmt::format("expected frames of at least 1x1, got {} of {}x{}", facts_.frame_count,
                              facts_.size.width, facts_.size.height));
  }
  Size size() const override { return facts_.size; }
  std::int64_t frame_count() const override { return facts_.frame_count; }
  double fps() const override { return facts_.fps; }
  ReadFacts read(std::span<const std::int64_t> frames, const Geometry& geometry, std::uint8_t* out) override {
    whole_.resize(static_cast<std::size_t>(facts_.size.width) * static_cast<std::size_t>(facts_.size.height) *
                  3);
    const RgbWindow window(facts_.size, geometry);
    for (const std::int64_t frame : frames) {
      frames_->read(frame, whole_);
      window.cut(whole_.data(), resampler_, out);
      out += window.bytes();
    }
    return {};
  }

 private:
  std::shared_ptr<const FrameSource> frames_;
  FrameSource::Facts facts_;
  media::Resampler resampler_;
  std::vector<std::uint8_t> whole_;
};

}  // namespace

OpenSource::~OpenSource() = default;

std::unique_ptr<OpenSource> open_source(const Source& source, const media::Limits& limits,
                                        const ShardSet* shards) {
  const int given = int{!source.video.empty()} + int{!source.pattern.empty()} + int{source.frames != nullptr};
  if (given != 1)
    throw Error(ErrorKind::plugin, "data set",
                fmt::format("source \"{}\" of an item: expected one of video, pattern and frames, got {}",
                            source.modality, given));
  if (!source.pattern_down.empty() && source.pattern.empty())
    throw Error(ErrorKind::plugin, "data set",
                fmt::format("source \"{}\" of an item: expected pattern beside pattern_down, got none",
                            source.modality));
  if (source.frames) return std::make_unique<OwnPixels>(source.frames);
  if (!source.pattern.empty()) return open_pictures(source, limits);
  return std::make_unique<OpenVideo>(shards != nullptr ? shards->open(source.video, limits)
                                                       : media::Video::open(source.video.string(), limits));
}

std::string source_name(const Source& source) {
  if (source.frames) return "own pixels";
  return source.video.empty() ? source.pattern.string() : source.video.string();
}

}  // namespace kinema::data
