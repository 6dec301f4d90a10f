#include "framework/media/transcode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/media/encode.h"
#include "framework/media/video.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

WriterOptions writer_options(const VideoInfo& info, const TranscodeOptions& options) {
  WriterOptions writer;
  writer.codec = transcode_encoder();
  writer.container = "mp4";
  writer.input = info.size;
  writer.gop = options.gop;
  writer.quality = transcode_quality(options);
  const bool turned = info.orientation.transpose;
  writer.sample_aspect_width = turned ? info.sample_aspect_height : info.sample_aspect_width;
  writer.sample_aspect_height = turned ? info.sample_aspect_width : info.sample_aspect_height;
  // The tables first: a reader need not seek to the end and back.
  writer.muxer_options["movflags"] = "+faststart";
  if (writer.codec == "libx264")
    // Without the tools that cost a decoder most, and key frames nowhere else than asked for.
    writer.encoder_options = {{"preset", "fast"}, {"tune", "fastdecode"}, {"sc_threshold", "0"}};
  return writer;
}

std::vector<std::int64_t> chosen_frames(const Video& video, const TranscodeOptions& options) {
  const VideoInfo& info = video.info();
  if (!options.fps) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(info.frame_count));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<double> times;
  for (const IndexFrame& frame : video.index().frames) times.push_back(frame.time_s);
  return frames_at_rate(times, info.duration_s, *options.fps);
}

// False when the file turned out to hold other frames than its index said: then everything is chosen anew.
bool write_frames(Video& video, const std::string& output, const TranscodeOptions& options) {
  constexpr std::size_t kChunkBytes = std::size_t{32} << 20;
  const VideoInfo info = video.info();
  const std::vector<std::int64_t> frames = chosen_frames(video, options);
  VideoWriter writer(output, transcoded_size(info.size, options.short_side), options.fps.value_or(info.fps),
                     writer_options(info, options));
  const std::size_t bytes =
      std::size_t{3} * static_cast<std::size_t>(info.size.width) * static_cast<std::size_t>(info.size.height);
  const std::size_t chunk = std::clamp<std::size_t>(kChunkBytes / bytes, 1, 64);
  std::vector<std::uint8_t> rgb(bytes * std::min(chunk, frames.size()));
  for (std::size_t at = 0; at < frames.size(); at += chunk) {
    const auto part = std::span(frames).subspan(at, std::min(chunk, frames.size() - at));
    if (video.read(part, Geometry::whole(info.size), rgb.data()).reindexed) return false;
    for (std::size_t i = 0; i < part.size(); ++i) writer.write(rgb.data() + i * bytes);
  }
  writer.finish();
  return true;
}

}  // namespace

std::string transcode_encoder() { return has_encoder("libx264") ? "libx264" : "mpeg4"; }

int transcode_quality(const TranscodeOptions& options) {
  constexpr int kCrf = 20, kQuantiser = 3;
  return options.quality.value_or(transcode_encoder() == "libx264" ? kCrf : kQuantiser);
}

void transcode(const std::string& input, const std::string& output, const TranscodeOptions& options,
               const Limits& limits) {
  constexpr int kAttempts = 3;
  Video video = Video::open(input, limits);
  try {
    for (int attempt = 0; attempt < kAttempts; ++attempt)
      if (write_frames(video, output, options)) return;
  } catch (const Error& error) {
    // A size that the encoder does not take is this file's fault, a full disk is not.
    const std::string& what = error.problems().front().what;
    if (what.starts_with("cannot encode")) throw Error(ErrorKind::data, input, what);
    throw;
  }
  throw Error(ErrorKind::data, input, "not repeatable: expected the frames of the first decode, got others");
}

std::vector<std::int64_t> frames_at_rate(std::span<const double> times_s, double duration_s, double fps) {
  constexpr double kSame = 1e-6, kClock = 1e-3;  // seconds
  constexpr double kMostFrames = 10'000'000;
  const double count = std::max(1.0, std::ceil((duration_s - kClock) * fps));
  if (times_s.empty() || !(count <= kMostFrames))
    throw Error(
        ErrorKind::data, "frame rate",
        fmt::format("a duration that cannot be: expected at most {:.0f} frames, got {} s at {} a second",
                    kMostFrames, duration_s, fps));
  std::vector<std::int64_t> frames;
  std::size_t nearest = 0;
  for (double k = 0; k < count; ++k) {
    const double time = times_s[0] + k / fps;
    while (nearest + 1 < times_s.size() &&
           std::abs(times_s[nearest + 1] - time) < std::abs(times_s[nearest] - time) - kSame)
      ++nearest;
    frames.push_back(static_cast<std::int64_t>(nearest));
  }
  return frames;
}

Size transcoded_size(Size size, std::optional<int> short_side) {
  const int shorter = std::min(size.width, size.height);
  const double scale = short_side && *short_side < shorter
                           ? static_cast<double>(*short_side) / static_cast<double>(shorter)
                           : 1;
  const auto even = [scale](int side) {
    return std::max(2, 2 * static_cast<int>(std::lround(side * scale / 2)));
  };
  return {even(size.width), even(size.height)};
}

}  // namespace kinema::media
