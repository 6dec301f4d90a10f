#pragma once

// Private to this folder.
#include <cstdint>
#include <map>

#include "framework/media/bit_reader.h"
#include "framework/media/ffmpeg.h"

namespace kinema::media {

// Whether decoding may begin at a packet.
enum class Entry : std::uint8_t {
  none,
  open,   // exact only when decoding began one entry earlier (H.264 recovery points)
  clean,  // the packet's frame and all that are displayed after it are exact
};

struct PacketTraits {
  bool plausible = true;       // exactly what a packet scan expects: one whole picture, well formed
  bool shown = true;           // delivers a frame
  bool droppable = false;      // no other frame is predicted from it
  bool bidirectional = false;  // displayed before the reference picture that precedes it
  Entry entry = Entry::none;
  std::uint64_t parameters = 0;  // hash of the parameter sets in the packet, 0 without
  bool changes = false;          // headers that are not those of earlier packets
};

// How the packets of a codec tell what a decoder will do with them.
enum class Trust : std::uint8_t {
  none,       // nothing known: every read decodes from the first frame on
  key_frame,  // frames that the decoder calls key frames are entries, but packets are not inspected
  scan,       // inspect() tells everything
};

// What MPEG-4 part 2 pictures tell only together with their layer's header and with the pictures before.
struct Mpeg4State {
  int time_bits = 0;  // 0: no header of a layer yet
  std::int64_t ticks_per_second = 0;
  bool interlaced = false, sprites = false;
  int quantiser_bits = 5;
  std::int64_t second = 0, previous_second = 0;  // of the last two reference pictures
  std::int64_t time = 0, distance = 0;           // of the last one, and from the one before
  std::map<int, std::uint64_t> headers;          // by start code: hash of the first of each kind
};

// What one packet's bytes tell. `length_bytes` of each NAL unit's length; 0: start codes.
PacketTraits inspect_h264(Bytes bytes, int length_bytes);
PacketTraits inspect_hevc(Bytes bytes, int length_bytes);
PacketTraits inspect_vp8(Bytes bytes);
PacketTraits inspect_vp9(Bytes bytes);
PacketTraits inspect_av1(Bytes bytes);
PacketTraits inspect_mpeg4(Bytes bytes, Mpeg4State& state);
PacketTraits inspect_jpeg(Bytes bytes);

class Bitstream {
 public:
  explicit Bitstream(const AVCodecParameters& codec);

  Trust trust() const { return trust_; }
  // Frames come in the order of picture types (MPEG-4 part 2) instead of presentation times.
  bool ordered_by_type() const { return codec_ == AV_CODEC_ID_MPEG4; }
  // Packets in the order of the file.
  PacketTraits inspect(const AVPacket& packet);

 private:
  AVCodecID codec_;
  Trust trust_;
  int length_bytes_ = 0;  // of each NAL unit's length; 0: start codes
  Mpeg4State mpeg4_;
};

}  // namespace kinema::media
