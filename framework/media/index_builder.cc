#include "framework/media/index_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "framework/media/bitstream.h"
#include "framework/media/decoder.h"
#include "framework/media/message_count.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

constexpr double kUnknownFps = 25;

struct ScannedPacket {
  PacketTraits traits;
  std::int64_t pts = AV_NOPTS_VALUE;
  std::int64_t dts = AV_NOPTS_VALUE;
  bool key = false;
};

struct DecodedFrame {
  std::uint32_t packet = 0;
  std::uint32_t occurrence = 0;
  std::int64_t pts = AV_NOPTS_VALUE;
  bool key = false;
  bool corrupt = false;
};

// One pass over a file.
struct Pass {
  std::vector<IndexPacket> packets;
  std::vector<ScannedPacket> scanned;
  std::vector<DecodedFrame> frames;  // all, or only the first
  VideoInfo info;
  std::int64_t errors = 0;
  std::string first_message;
};

double fps_of(const AVStream& stream) {
  for (const AVRational rate : {stream.avg_frame_rate, stream.r_frame_rate}) {
    if (rate.num > 0 && rate.den > 0 && av_q2d(rate) < 1000) return av_q2d(rate);
  }
  return kUnknownFps;
}

Orientation stream_orientation(const AVStream& stream) {
  std::size_t bytes = 0;
  const std::uint8_t* matrix = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes);
  if (matrix == nullptr || bytes < 9 * sizeof(std::int32_t)) return {};
  return orientation_of(reinterpret_cast<const std::int32_t*>(matrix));
}

VideoInfo info_of(const Container& container, const AVFrame& frame) {
  const AVStream& stream = *container.stream();
  VideoInfo info;
  info.stored_size = {frame.width, frame.height};
  info.orientation = stream_orientation(stream);
  info.rotation_degrees = rotation_degrees(info.orientation);
  info.size = displayed_size(info.stored_size, info.orientation);
  info.fps = fps_of(stream);
  info.codec = avcodec_get_name(stream.codecpar->codec_id);
  info.container = container.format()->iformat->name;
  const char* pixel_format = av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame.format));
  info.pixel_format = pixel_format == nullptr ? "unknown" : pixel_format;
  const AVRational aspect = av_guess_sample_aspect_ratio(container.format(), container.stream(), nullptr);
  if (aspect.num > 0 && aspect.den > 0) {
    info.sample_aspect_width = aspect.num;
    info.sample_aspect_height = aspect.den;
  }
  info.video_streams = 0;
  for (unsigned i = 0; i < container.format()->nb_streams; ++i) {
    info.video_streams += container.format()->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
  }
  info.stream = stream.index;
  info.interlaced = frame.interlaced_frame != 0;
  info.header_frames = stream.nb_frames;
  return info;
}

[[noreturn]] void fail(const Container& container, std::string what) {
  throw Error(ErrorKind::data, container.path(), std::move(what));
}

void check_pixels(const Container& container, const AVFrame& frame, const Limits& limits) {
  if (std::int64_t{frame.width} * frame.height <= limits.max_pixels) return;
  fail(container, fmt::format("frame too large: expected at most {} pixels, got {} x {}", limits.max_pixels,
                              frame.width, frame.height));
}

// Decodes everything, or only up to the first frame.
Pass run(Container& container, const Limits& limits, bool decode_all) {
  Pass pass;
  MessageCount messages;
  Bitstream bitstream(*container.stream()->codecpar);
  Decoder decoder(*container.stream(), container.path(), limits);
  PacketPtr packet(av_packet_alloc());
  const auto receive_all = [&] {
    while (const AVFrame* frame = decoder.receive()) {
      if (!decode_all && !pass.frames.empty()) return;
      if (pass.frames.empty()) {
        check_pixels(container, *frame, limits);
        pass.info = info_of(container, *frame);
      }
      pass.frames.push_back({static_cast<std::uint32_t>(decoder.ordinal()), decoder.occurrence(),
                             frame->best_effort_timestamp, frame->key_frame != 0,
                             (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame->decode_error_flags != 0});
    }
  };
  while (container.read(packet.get())) {
    const std::int64_t ordinal = static_cast<std::int64_t>(pass.packets.size());
    if (ordinal >= limits.max_packets) {
      fail(container, fmt::format("too many packets: expected at most {}, got more", limits.max_packets));
    }
    pass.packets.push_back({.position = packet->pos, .size = packet->size});
    pass.scanned.push_back(
        {bitstream.inspect(*packet), packet->pts, packet->dts, (packet->flags & AV_PKT_FLAG_KEY) != 0});
    if (decode_all || pass.frames.empty()) {
      decoder.send(packet.get(), ordinal);
      receive_all();
    }
    av_packet_unref(packet.get());
    container.check_deadline();
  }
  if (container.failure() != 0) {
    av_log(container.format(), AV_LOG_ERROR, "read stopped: %s\n", error_text(container.failure()).c_str());
  }
  container.check_deadline();
  if (decode_all || pass.frames.empty()) {
    decoder.send(nullptr, -1);
    receive_all();
  }
  pass.errors = messages.errors();
  pass.first_message = messages.first();
  if (pass.packets.empty())
    fail(container, "no frames: expected a video, got a video stream without packets");
  if (pass.frames.empty()) {
    fail(container, fmt::format("no decodable frame: expected at least one, got none from {} packets{}",
                                pass.packets.size(),
                                pass.first_message.empty() ? "" : fmt::format(" ({})", pass.first_message)));
  }
  return pass;
}

// Packets in the order of their display. By picture type: a reference picture waits for the next one.
std::vector<std::uint32_t> display_order(const Pass& pass, bool by_type) {
  std::vector<std::uint32_t> order;
  if (!by_type) {
    for (std::uint32_t i = 0; i < pass.scanned.size(); ++i) {
      if (pass.scanned[i].traits.shown) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return pass.scanned[i].pts; });
    return order;
  }
  std::int64_t waiting = -1;
  for (std::uint32_t i = 0; i < pass.scanned.size(); ++i) {
    if (pass.scanned[i].traits.bidirectional) {
      order.push_back(i);
      continue;
    }
    if (waiting >= 0) order.push_back(static_cast<std::uint32_t>(waiting));
    waiting = i;
  }
  if (waiting >= 0) order.push_back(static_cast<std::uint32_t>(waiting));
  return order;
}

// How many earlier packets are displayed later than some packet, at most.
int reorder_depth(const Pass& pass) {
  int depth = 0;
  std::multiset<std::int64_t> recent;  // the latest times so far; more than any decoder can hold back
  constexpr std::size_t kWindow = 32;
  for (const ScannedPacket& packet : pass.scanned) {
    const auto later = std::distance(recent.upper_bound(packet.pts), recent.end());
    depth = std::max(depth, static_cast<int>(later));
    recent.insert(packet.pts);
    if (recent.size() > kWindow) recent.erase(recent.begin());
  }
  return depth;
}

// Why there is no point in a scan; empty when there is.
std::string unscannable(const Container& container, const Bitstream& bitstream) {
  const char* name = container.format()->iformat->name;
  if (!av_match_name("mov", name) && !av_match_name("matroska", name) && !av_match_name("avi", name)) {
    return fmt::format("container {}", name);
  }
  if (bitstream.trust() == Trust::scan) return {};
  return fmt::format("codec {}", avcodec_get_name(container.stream()->codecpar->codec_id));
}

// Why a scan may not be believed; empty when it may.
std::string doubt(const Pass& pass, const Container& container, const Bitstream& bitstream) {
  if (pass.errors > 0) return fmt::format("{} message(s): {}", pass.errors, pass.first_message);
  if (container.failure() != 0) return "the file ends early";
  if (pass.scanned.front().traits.entry != Entry::clean) return "the first packet is no key frame";
  std::uint64_t parameters = 0;
  for (std::size_t i = 0; i < pass.scanned.size(); ++i) {
    const PacketTraits& traits = pass.scanned[i].traits;
    if (!traits.plausible) return fmt::format("packet {} is not one whole picture", i);
    if (traits.parameters != 0 && parameters != 0 && traits.parameters != parameters) {
      return fmt::format("other parameters at packet {}", i);
    }
    if (traits.parameters != 0) parameters = traits.parameters;
  }
  const bool by_type = bitstream.ordered_by_type();
  const bool has_times = std::ranges::all_of(pass.scanned, [](auto& p) { return p.pts != AV_NOPTS_VALUE; });
  if (!has_times && !by_type) return "packets without time";
  const auto order = display_order(pass, by_type);
  for (std::size_t i = 1; has_times && i < order.size(); ++i) {
    if (pass.scanned[order[i - 1]].pts >= pass.scanned[order[i]].pts) {
      return fmt::format("the times of packets {} and {} are not in order", order[i - 1], order[i]);
    }
  }
  if (order.empty() || order.front() != 0) return "the first packet is not the first frame";
  if (by_type && pass.scanned.size() > 1 && pass.scanned[1].traits.bidirectional)
    return "a B-frame comes second";
  const DecodedFrame& first = pass.frames.front();
  if (first.packet != 0 || first.corrupt) return "the first packet does not decode to the first frame";
  const int delay = container.stream()->codecpar->video_delay;
  const int depth = by_type ? 0 : reorder_depth(pass);
  if (depth > delay)
    return fmt::format("frames are reordered over {} packets, the decoder holds {}", depth, delay);
  return {};
}

// Times in seconds after the start of the file; gaps are filled with one frame's length.
void set_times(Index& index, const std::vector<std::int64_t>& pts, const Container& container) {
  const AVStream& stream = *container.stream();
  const double unit = av_q2d(stream.time_base);
  const std::int64_t start = container.format()->start_time;
  const double start_s = start == AV_NOPTS_VALUE ? 0 : static_cast<double>(start) / AV_TIME_BASE;
  const double step = 1 / index.info.fps;
  for (std::size_t i = 0; i < pts.size(); ++i) {
    const double fallback = i == 0 ? 0 : index.frames[i - 1].time_s + step;
    index.frames[i].time_s =
        pts[i] == AV_NOPTS_VALUE ? fallback : static_cast<double>(pts[i]) * unit - start_s;
  }
  if (!pts.empty()) index.info.duration_s = index.frames.back().time_s + step - index.frames.front().time_s;
}

// Frames of packets, and which packet has just one.
void link_packets(Index& index) {
  std::vector<int> count(index.packets.size(), 0);
  for (const IndexFrame& frame : index.frames) ++count[frame.packet];
  for (std::size_t i = 0; i < index.frames.size(); ++i) {
    const std::uint32_t packet = index.frames[i].packet;
    index.packets[packet].frame = count[packet] == 1 ? static_cast<std::int32_t>(i) : -1;
  }
}

// An entry is kept when every frame from its own on comes from its packet or a later one.
void add_entries(Index& index, const Pass& pass, const std::vector<Entry>& kinds) {
  std::vector<std::uint32_t> least(index.frames.size() + 1, std::numeric_limits<std::uint32_t>::max());
  for (std::size_t i = index.frames.size(); i-- > 0;)
    least[i] = std::min(least[i + 1], index.frames[i].packet);
  for (std::uint32_t i = 0; i < index.packets.size(); ++i) {
    const std::int32_t frame = index.packets[i].frame;
    if (i > 0 && (kinds[i] == Entry::none || frame < 0 || least[static_cast<std::size_t>(frame)] < i))
      continue;
    if (i > 0 && static_cast<std::uint32_t>(frame) <= index.entries.back().frame) continue;
    const ScannedPacket& packet = pass.scanned[i];
    index.entries.push_back({.packet = i,
                             .frame = i == 0 ? 0 : static_cast<std::uint32_t>(frame),
                             .seek_timestamp = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts,
                             .open = i > 0 && kinds[i] == Entry::open});
  }
}

// Parameter sets inside packets must be the same everywhere and come with every entry: only then does the
// order of reads not matter.
bool parameters_allow_entries(const Pass& pass) {
  std::set<std::uint64_t> seen;
  for (const ScannedPacket& packet : pass.scanned) {
    if (packet.traits.parameters != 0) seen.insert(packet.traits.parameters);
  }
  if (seen.empty()) return true;
  if (seen.size() > 1) return false;
  return std::ranges::all_of(
      pass.scanned, [](auto& p) { return p.traits.entry == Entry::none || p.traits.parameters != 0; });
}

Index index_from_scan(Pass pass, const Container& container, bool by_type) {
  Index index;
  index.info = pass.info;
  index.packets = std::move(pass.packets);
  const auto order = display_order(pass, by_type);
  std::vector<std::int64_t> pts;
  for (const std::uint32_t i : order) {
    index.frames.push_back({.packet = i});
    pts.push_back(pass.scanned[i].pts);
  }
  link_packets(index);
  std::vector<Entry> kinds;
  const bool allowed = parameters_allow_entries(pass);
  for (std::size_t i = 0; i < pass.scanned.size(); ++i) {
    const PacketTraits& traits = pass.scanned[i].traits;
    index.packets[i].droppable = traits.droppable;
    kinds.push_back(allowed ? traits.entry : Entry::none);
  }
  add_entries(index, pass, kinds);
  index.info.frame_count = static_cast<std::int64_t>(index.frames.size());
  set_times(index, pts, container);
  index.stream_parameters = container.hint().parameters;
  return index;
}

// A decode with errors, or whose frames cannot be told apart by their packets, can only be repeated as it
// was.
bool repeatable_from_entries(const Pass& pass, Trust trust) {
  if (trust == Trust::none || pass.errors > 0) return false;
  if (std::ranges::any_of(pass.frames, &DecodedFrame::corrupt)) return false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> names;
  return std::ranges::all_of(pass.frames, [&](const DecodedFrame& frame) {
    return frame.packet < pass.packets.size() && names.insert({frame.packet, frame.occurrence}).second;
  });
}

}  // namespace

Index build_index_by_decoding(Container& container, const Limits& limits, std::string why) {
  const Bitstream bitstream(*container.stream()->codecpar);
  Pass pass = run(container, limits, true);
  Index index;
  index.decoded = true;
  index.why_decoded = std::move(why);
  index.decode_errors = pass.errors;
  index.info = pass.info;
  index.packets = pass.packets;
  index.from_start_only = !repeatable_from_entries(pass, bitstream.trust());
  std::vector<std::int64_t> pts;
  for (const DecodedFrame& frame : pass.frames) {
    const std::uint32_t packet = std::min(frame.packet, static_cast<std::uint32_t>(pass.packets.size() - 1));
    index.frames.push_back({.packet = packet, .occurrence = frame.occurrence});
    pts.push_back(frame.pts);
    index.corrupt_frames += frame.corrupt;
  }
  link_packets(index);
  std::vector<Entry> kinds(pass.packets.size(), Entry::none);
  if (!index.from_start_only && bitstream.trust() == Trust::key_frame) {
    for (const DecodedFrame& frame : pass.frames) {
      if (frame.key) kinds[frame.packet] = Entry::clean;
    }
  } else if (!index.from_start_only && parameters_allow_entries(pass)) {
    // With packed B-frames a decoder holds pictures back, so that a packet is not what its bytes say.
    const bool packed = bitstream.ordered_by_type() &&
                        std::ranges::any_of(pass.scanned, [](auto& p) { return !p.traits.plausible; });
    for (std::size_t i = 0; i < pass.scanned.size(); ++i) {
      const PacketTraits& traits = pass.scanned[i].traits;
      if (!traits.plausible) continue;
      kinds[i] = traits.entry;
      index.packets[i].droppable = traits.droppable && !packed;
    }
  }
  add_entries(index, pass, kinds);
  index.info.frame_count = static_cast<std::int64_t>(index.frames.size());
  set_times(index, pts, container);
  index.stream_parameters = container.hint().parameters;
  return index;
}

Index build_index(Container& container, const Limits& limits) {
  const Bitstream bitstream(*container.stream()->codecpar);
  std::string why = limits.index_by_decoding ? "asked for" : unscannable(container, bitstream);
  if (why.empty()) {
    Pass pass = run(container, limits, false);
    why = doubt(pass, container, bitstream);
    if (why.empty()) return index_from_scan(std::move(pass), container, bitstream.ordered_by_type());
    container.reopen();
  }
  return build_index_by_decoding(container, limits, std::move(why));
}

}  // namespace kinema::media
