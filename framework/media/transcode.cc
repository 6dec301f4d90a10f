#include "framework/media/transcode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/media/container.h"
#include "framework/media/encode.h"
#include "framework/media/index_builder.h"
#include "framework/media/lead_in.h"
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
  if (writer.codec == "libx264") writer.b_frames = options.b_frames;
  writer.quality = transcode_quality(options);
  const bool turned = info.orientation.transpose;
  writer.sample_aspect_width = turned ? info.sample_aspect_height : info.sample_aspect_width;
  writer.sample_aspect_height = turned ? info.sample_aspect_width : info.sample_aspect_height;
  // The tables first: a reader need not seek to the end and back.
  writer.muxer_options["movflags"] = "+faststart";
  if (writer.codec == "libx264")
    // Without the tools that cost a decoder most, and key frames nowhere else than asked for.
    writer.encoder_options = {{"preset", "fast"},
                              {"tune", "fastdecode"},
                              {"sc_threshold", "0"},
                              {"b_strategy", "0"},
                              {"b-pyramid", "none"}};
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

// A frame of the output as it should look.
struct Sample {
  std::int64_t frame = 0;
  std::vector<std::uint8_t> rgb;
};

std::size_t rgb_bytes(Size size) {
  return std::size_t{3} * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

// Whether frame `at` of `count` is one of `wanted` that are spread evenly.
bool is_sample(std::size_t at, std::size_t count, std::size_t wanted) {
  return at * wanted / count != (at + 1) * wanted / count;
}

// False when the file turned out to hold other frames than its index said: then everything is chosen anew.
bool write_frames(Video& video, const std::string& output, const TranscodeOptions& options,
                  std::vector<Sample>& samples) {
  constexpr std::size_t kChunkBytes = std::size_t{32} << 20;
  const VideoInfo info = video.info();
  const Size size = transcoded_size(info.size, options.short_side);
  const std::vector<std::int64_t> frames = chosen_frames(video, options);
  VideoWriter writer(output, size, options.fps.value_or(info.fps), writer_options(info, options));
  const std::size_t bytes = rgb_bytes(info.size);
  const std::size_t chunk = std::clamp<std::size_t>(kChunkBytes / bytes, 1, 64);
  const auto wanted = std::min<std::size_t>(static_cast<std::size_t>(options.compared), frames.size());
  std::vector<std::uint8_t> rgb(bytes * std::min(chunk, frames.size()));
  samples.clear();
  for (std::size_t at = 0; at < frames.size(); at += chunk) {
    const auto part = std::span(frames).subspan(at, std::min(chunk, frames.size() - at));
    if (video.read(part, Geometry::whole(info.size), rgb.data()).reindexed) return false;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::uint8_t* picture = rgb.data() + i * bytes;
      writer.write(picture);
      if (is_sample(at + i, frames.size(), wanted))
        samples.push_back({static_cast<std::int64_t>(at + i), scaled_picture(picture, info.size, size)});
    }
  }
  writer.finish();
  return true;
}

// Of what was written.
TranscodeFacts look_at(const std::string& output, const std::vector<Sample>& samples, const Limits& limits) {
  Container container({output}, limits);
  TranscodeFacts facts;
  facts.index = std::make_shared<const Index>(build_index(container, limits));
  if (samples.empty()) return facts;
  std::vector<std::int64_t> frames;
  for (const Sample& sample : samples) frames.push_back(sample.frame);
  const Size size = facts.index->info.size;
  std::vector<std::uint8_t> rgb(rgb_bytes(size) * samples.size());
  Video::open({output}, facts.index, limits).read(frames, Geometry::whole(size), rgb.data());
  for (std::size_t i = 0; i < samples.size(); ++i)
    facts.psnr.push_back(psnr(samples[i].rgb, std::span(rgb).subspan(i * rgb_bytes(size), rgb_bytes(size))));
  return facts;
}

}  // namespace

std::string transcode_encoder() { return has_encoder("libx264") ? "libx264" : "mpeg4"; }

int transcode_quality(const TranscodeOptions& options) {
  constexpr int kCrf = 20, kQuantiser = 3;
  return options.quality.value_or(transcode_encoder() == "libx264" ? kCrf : kQuantiser);
}

TranscodeFacts transcode(const std::string& input, const std::string& output, const TranscodeOptions& options,
                         const Limits& limits) {
  constexpr int kAttempts = 3;
  Video video = Video::open(input, limits);
  std::vector<Sample> samples;
  try {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (!write_frames(video, output, options, samples)) continue;
      TranscodeFacts facts = look_at(output, samples, limits);
      facts.lead_in_before = mean_lead_in(video.index());
      return facts;
    }
  } catch (const Error& error) {
    // A size that the encoder does not take is this file's fault, a full disk is not.
    const std::string& what = error.problems().front().what;
    if (what.starts_with("cannot encode")) throw Error(ErrorKind::data, input, what);
    throw;
  }
  throw Error(ErrorKind::data, input, "not repeatable: expected the frames of the first decode, got others");
}

double psnr(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  constexpr double kEqual = 100, kPeak = 255;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  if (sum == 0) return kEqual;
  return std::min(kEqual, 10 * std::log10(kPeak * kPeak * static_cast<double>(a.size()) / sum));
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
