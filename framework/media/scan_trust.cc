#include "framework/media/scan_trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kinema::media {
namespace {

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

}  // namespace

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

std::string unscannable(const Container& container, const Bitstream& bitstream) {
  const char* name = container.format()->iformat->name;
  if (!av_match_name("mov", name) && !av_match_name("matroska", name) && !av_match_name("avi", name)) {
    return fmt::format("container {}", name);
  }
  if (bitstream.trust() == Trust::scan) return {};
  return fmt::format("codec {}", avcodec_get_name(container.stream()->codecpar->codec_id));
}

std::string scan_doubt(const Pass& pass, const Container& container, const Bitstream& bitstream) {
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

namespace {

std::set<std::uint64_t> parameters_in(const Pass& pass) {
  std::set<std::uint64_t> seen;
  for (const ScannedPacket& packet : pass.scanned) {
    if (packet.traits.parameters != 0) seen.insert(packet.traits.parameters);
  }
  return seen;
}

}  // namespace

bool parameters_change(const Pass& pass) {
  return parameters_in(pass).size() > 1 ||
         std::ranges::any_of(pass.scanned, [](auto& p) { return p.traits.changes; });
}

bool parameters_allow_entries(const Pass& pass) {
  if (parameters_in(pass).empty()) return true;
  if (parameters_change(pass)) return false;
  return std::ranges::all_of(
      pass.scanned, [](auto& p) { return p.traits.entry == Entry::none || p.traits.parameters != 0; });
}

}  // namespace kinema::media
