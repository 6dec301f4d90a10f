#include "framework/media/index_builder.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "framework/media/scan_trust.h"

namespace kinema::media {
namespace {

// Times in seconds after the start of the file. Gaps are filled with one frame's length: Matroska, for one,
// has no times below 0. So are times that do not go on, as where two files were put together.
void set_times(Index& index, const std::vector<std::int64_t>& pts, const Container& container) {
  if (pts.empty()) return;
  const AVStream& stream = *container.stream();
  const double unit = av_q2d(stream.time_base);
  const std::int64_t start = container.format()->start_time;
  const double start_s = start == AV_NOPTS_VALUE ? 0 : static_cast<double>(start) / AV_TIME_BASE;
  const double step = 1 / index.info.fps;
  const auto time_of = [&](std::size_t i) { return static_cast<double>(pts[i]) * unit - start_s; };
  const auto known = std::ranges::find_if(pts, [](auto time) { return time != AV_NOPTS_VALUE; });
  const auto unknown = static_cast<std::size_t>(known - pts.begin());
  std::vector<IndexFrame>& frames = index.frames;
  frames[0].time_s = known == pts.end() ? 0 : time_of(unknown) - static_cast<double>(unknown) * step;
  for (std::size_t i = 1; i < pts.size(); ++i) {
    const double before = frames[i - 1].time_s;
    const bool timed = i >= unknown && pts[i] != AV_NOPTS_VALUE && time_of(i) > before;
    frames[i].time_s = timed ? time_of(i) : before + step;
  }
  const double first = std::min(frames[0].time_s, 0.0);
  for (IndexFrame& frame : frames) frame.time_s -= first;
  index.info.duration_s = frames.back().time_s + step - frames.front().time_s;
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

// A decode with errors, with a decoder that has to learn anew on the way, or whose frames cannot be told
// apart by their packets, can only be repeated as it was.
bool repeatable_from_entries(const Pass& pass, Trust trust) {
  if (trust == Trust::none || pass.errors > 0 || parameters_change(pass)) return false;
  if (std::ranges::any_of(pass.frames, &DecodedFrame::corrupt)) return false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> names;
  return std::ranges::all_of(pass.frames, [&](const DecodedFrame& frame) {
    return frame.packet < pass.packets.size() && names.insert({frame.packet, frame.occurrence}).second;
  });
}

}  // namespace

Index build_index_by_decoding(Container& container, const Limits& limits, std::string why) {
  const Bitstream bitstream(*container.stream()->codecpar);
  Pass pass = run_pass(container, limits, true);
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
    Pass pass = run_pass(container, limits, false);
    why = scan_doubt(pass, container, bitstream);
    if (why.empty()) return index_from_scan(std::move(pass), container, bitstream.ordered_by_type());
    container.reopen();
  }
  return build_index_by_decoding(container, limits, std::move(why));
}

}  // namespace kinema::media
