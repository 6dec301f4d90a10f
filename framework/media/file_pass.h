#pragma once

// Private to this folder.
#include <cstdint>
#include <string>
#include <vector>

#include "framework/media/bitstream.h"
#include "framework/media/container.h"
#include "framework/media/index.h"

namespace kinema::media {

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
  std::int64_t resized_frames = 0;  // of another size than the first
  std::int64_t errors = 0;
  std::string first_message;
};

// Reads `container` to its end and decodes everything, or only up to the first frame. Throws Error(data) when
// not one frame can be decoded.
Pass run_pass(Container& container, const Limits& limits, bool decode_all);

}  // namespace kinema::media
