// 400 files with damage of every sort: nothing crashes or hangs, what is delivered is what a linear decode of
// the same bytes delivers, and where that decode complains, so does the report of the read.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <optional>

#include "framework/media/examine.h"
#include "kinema/error.h"
#include "tests/unit/media/clip_spec.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

using test::clip;
using test::ClipSpec;
using test::Pictures;

struct Kind {
  const char* file;
  ClipSpec spec;
};

std::vector<Kind> kinds() {
  const std::map<std::string, std::string> faststart = {{"movflags", "faststart"}};
  std::vector<Kind> all = {
      {"h264.mp4", clip("libx264", 2)},
      {"h264_first.mp4", clip("libx264", 0, {}, faststart)},
      {"h264.mkv", clip("libx264", 2)},
      {"h264.avi", clip("libx264", 0)},
      {"h264.ts", clip("libx264", 2)},
      {"part2.avi", clip("mpeg4", 2)},
      {"part2.mp4", clip("mpeg4", 0)},
      {"vp8.webm", clip("libvpx", 0)},
      {"vp9.webm", clip("libvpx-vp9", 0, {{"cpu-used", "8"}})},
      {"hevc.mp4", clip("libx265", 2, {{"x265-params", "log-level=none"}})},
      {"jpeg.avi", clip("mjpeg", 0, {}, {}, "yuvj420p")},
  };
  std::erase_if(all, [](const Kind& kind) { return !has_encoder(kind.spec.writer.codec); });
  for (Kind& kind : all) {
    kind.spec.frames = 30;
    kind.spec.writer.gop = 10;
  }
  return all;
}

std::string mutated(const std::string& bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string out = bytes;
  const std::size_t at = random() % bytes.size();
  const auto fill = [&](std::size_t count, auto value) {
    for (std::size_t i = at; i < std::min(at + count, out.size()); ++i) out[i] = static_cast<char>(value());
  };
  switch (seed % 8) {
    case 0:
      out[at] = static_cast<char>(out[at] ^ 1 << random() % 8);
      break;
    case 1:
      out[at] = static_cast<char>(random());
      break;
    case 2:
      fill(40, [&] { return random(); });
      break;
    case 3:
      fill(512, [] { return 0; });
      break;
    case 4:
      out.resize(at);
      break;
    case 5:
      out.erase(at, 1 + random() % 16);
      break;
    case 6:
      out.insert(at, out.substr(random() % out.size(), 1 + random() % 64));
      break;
    default:  // here and there
      for (int i = 0; i < 6; ++i) out[random() % out.size()] = static_cast<char>(random());
  }
  return out;
}

// A decode of everything, and which packet the complaints were about.
struct Linear {
  struct Frame {
    std::size_t packet;
    std::int64_t pts;
    bool corrupt;
  };
  std::vector<Frame> frames;
  std::vector<std::int64_t> errors;  // by packet
  std::int64_t all_errors = 0;
};

Linear linear(const std::string& path) {
  Linear result;
  const MessageCount unheard;
  AVFormatContext* format = nullptr;
  if (avformat_open_input(&format, path.c_str(), nullptr, nullptr) < 0) return result;
  avformat_find_stream_info(format, nullptr);
  const int best = av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  const AVCodec* decoder =
      best < 0 ? nullptr : avcodec_find_decoder(format->streams[best]->codecpar->codec_id);
  if (decoder != nullptr) {
    CodecContextPtr codec(avcodec_alloc_context3(decoder));
    avcodec_parameters_to_context(codec.get(), format->streams[best]->codecpar);
    codec->thread_count = 1;
    codec->pkt_timebase = format->streams[best]->time_base;
    avcodec_open2(codec.get(), decoder, nullptr);
    PacketPtr packet(av_packet_alloc());
    FramePtr frame(av_frame_alloc());
    for (bool more = true; more;) {
      const MessageCount messages;
      more = av_read_frame(format, packet.get()) >= 0;
      if (more && packet->stream_index != best) {
        av_packet_unref(packet.get());
        continue;
      }
      codec->reordered_opaque = static_cast<std::int64_t>(result.errors.size());
      avcodec_send_packet(codec.get(), more ? packet.get() : nullptr);
      av_packet_unref(packet.get());
      while (avcodec_receive_frame(codec.get(), frame.get()) >= 0) {
        result.frames.push_back(
            {static_cast<std::size_t>(frame->reordered_opaque), frame->best_effort_timestamp,
             (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame->decode_error_flags != 0});
      }
      result.errors.push_back(messages.errors());
      result.all_errors += messages.errors();
    }
  }
  avformat_close_input(&format);
  return result;
}

struct Tally {
  int clips = 0, refused = 0, refused_reads = 0, scanned = 0, decoded = 0;
  int complaining = 0;  // the linear decode logs errors
  int silent = 0;       // other pictures than the undamaged file's, and FFmpeg has nothing to say about it
  int differing = 0, unflagged = 0, unexamined = 0, numbered_by_scan = 0;
};

constexpr unsigned kSecondsAClip = 60;
char current[256];

void on_alarm(int) {
  static const char text[] = "a clip took too long: ";
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, text, sizeof text - 1);
  written = ::write(STDERR_FILENO, current, std::strlen(current));
  ::_exit(99);
}

bool flagged(const ClipReport& report) { return report.errors + report.corrupt_frames > 0; }

// The place of frame `number` in a linear decode. A scan cannot see that a decoder drops a damaged picture:
// frames behind it then keep numbers that count it, and are known by their packets.
std::size_t place_of(std::int64_t number, const Video& video, const Linear& reference, Tally& tally) {
  const auto frame = static_cast<std::size_t>(number);
  const Index& index = video.index();
  if (index.decoded || frame >= index.frames.size()) return frame;
  const auto same = [&](const Linear::Frame& one) { return one.packet == index.frames[frame].packet; };
  if (frame < reference.frames.size() && same(reference.frames[frame])) return frame;
  ++tally.numbered_by_scan;
  return static_cast<std::size_t>(std::ranges::find_if(reference.frames, same) - reference.frames.begin());
}

// What read() says about `frames`, whether it should have complained, and whether the pixels are right.
void check_read(Video& video, const std::vector<std::int64_t>& frames, const Pictures& expected,
                const Linear& reference, const std::string& name, Tally& tally) {
  const std::size_t bytes = test::rgb_bytes(video.info().size);
  std::vector<std::uint8_t> rgb(bytes * frames.size());
  ClipReport report;
  try {
    report = video.read(frames, Geometry::whole(video.info().size), rgb.data());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data) << name << ": " << error.what();
    ++tally.refused_reads;
    return;
  }
  bool complaint = false, different = false;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::size_t frame = place_of(frames[i], video, reference, tally);
    const std::uint8_t* got = rgb.data() + i * bytes;
    different |= frame >= expected.size() || !std::equal(expected[frame].begin(), expected[frame].end(), got);
    if (frame >= reference.frames.size()) continue;
    const Linear::Frame& source = reference.frames[frame];
    complaint |=
        source.corrupt || (source.packet < reference.errors.size() && reference.errors[source.packet] > 0);
  }
  if (different) {
    ++tally.differing;
    ADD_FAILURE() << name << ": other pixels than a linear decode, frame " << frames.front() << " and "
                  << frames.size() - 1 << " more, index by " << (video.index().decoded ? "decoding" : "scan");
  }
  if (complaint && !flagged(report)) {
    ++tally.unflagged;
    ADD_FAILURE() << name << ": damage is not reported, frame " << frames.front() << " and "
                  << frames.size() - 1 << " more, " << video.index().why_decoded;
  }
}

void check_clip(const std::string& path, const std::string& name, const Pictures& undamaged, unsigned seed,
                Tally& tally) {
  IndexCache::global().clear();
  const Linear reference = linear(path);
  const Examination examination = examine(path, Depth::everything);
  tally.complaining += reference.all_errors > 0;
  std::optional<Video> video;
  try {
    video = Video::open(path);
    const VideoInfo info = video->info();
    Pictures expected = test::linear_pictures(path, info);
    std::mt19937 random(seed);
    const auto any = [&](std::int64_t below) {
      return std::uniform_int_distribution<std::int64_t>(0, below - 1)(random);
    };
    for (int i = 0; i < 6; ++i)
      check_read(*video, {any(video->info().frame_count)}, expected, reference, name, tally);
    for (int i = 0; i < 4; ++i) {
      const std::int64_t length = std::min<std::int64_t>(8, video->info().frame_count);
      std::vector<std::int64_t> window(static_cast<std::size_t>(length),
                                       any(video->info().frame_count - length + 1));
      for (std::size_t k = 0; k < window.size(); ++k) window[k] += static_cast<std::int64_t>(k);
      check_read(*video, window, expected, reference, name, tally);
    }
    std::vector<std::int64_t> all(static_cast<std::size_t>(video->info().frame_count));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int64_t>(k);
    check_read(*video, all, expected, reference, name, tally);
    if (video->index().decoded)
      EXPECT_EQ(static_cast<std::size_t>(video->info().frame_count), expected.size()) << name;
    ++(video->index().decoded ? tally.decoded : tally.scanned);
    if (reference.all_errors > 0 && examination.faults.empty()) {
      ++tally.unexamined;
      ADD_FAILURE() << name << ": an examination finds no fault";
    }
    tally.silent += reference.all_errors == 0 && examination.faults.empty() && expected != undamaged;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data) << name << ": " << error.what();
    ++tally.refused;
  }
  EXPECT_EQ(examination.usable, video.has_value()) << name << ": " << examination.reason;
}

TEST(mutated_clips, are_refused_or_read_as_a_linear_decode_reads_them_with_their_damage_reported) {
  const test::Folder folder;
  const std::vector<Kind> all = kinds();
  constexpr unsigned kClips = 400;
  Tally tally;
  std::map<std::string, std::string> bytes;
  std::map<std::string, Pictures> pictures;
  for (const Kind& kind : all) {
    const std::string path = folder / kind.file;
    test::make_clip(path, kind.spec);
    bytes[kind.file] = test::bytes_of(path);
    pictures[kind.file] = test::linear_pictures(path, Video::open(path).info());
  }
  ::signal(SIGALRM, on_alarm);
  for (unsigned i = 0; i < kClips; ++i) {
    const Kind& kind = all[i % all.size()];
    const std::string name = std::to_string(i) + "_" + kind.file, path = folder / name;
    std::snprintf(current, sizeof current, "%s\n", name.c_str());
    test::write_bytes(path, mutated(bytes[kind.file], i));
    ::alarm(kSecondsAClip);
    check_clip(path, name, pictures[kind.file], i, tally);
    ::alarm(0);
    ++tally.clips;
  }
  std::cout << tally.clips << " clips of " << all.size() << " kinds: " << tally.refused << " and "
            << tally.refused_reads << " reads refused, " << tally.scanned << " scanned, " << tally.decoded
            << " decoded for their index; FFmpeg complains about " << tally.complaining << "; "
            << tally.differing << " reads differ, " << tally.unflagged << " reads and " << tally.unexamined
            << " examinations miss damage; " << tally.silent << " show other pictures and nobody can tell\n";
}

}  // namespace
}  // namespace kinema::media
