#include "framework/media/bit_reader.h"
#include "framework/media/bitstream.h"

namespace kinema::media {

PacketTraits inspect_vp8(Bytes bytes) {
  PacketTraits traits;
  traits.plausible = bytes.size() >= 3;
  if (!traits.plausible) return traits;
  const bool key = (bytes[0] & 1) == 0;
  traits.shown = (bytes[0] >> 4 & 1) != 0;
  const std::size_t first_partition = (bytes[0] | bytes[1] << 8 | bytes[2] << 16) >> 5;
  traits.plausible = first_partition > 0 && first_partition + (key ? 10 : 3) <= bytes.size();
  if (key) {
    traits.plausible &=
        traits.shown && bytes.size() >= 10 && bytes[3] == 0x9d && bytes[4] == 0x01 && bytes[5] == 0x2a;
    traits.entry = Entry::clean;
  }
  return traits;
}

namespace {

struct Vp9Frame {
  bool valid = false, shown = false, key = false;
};

Vp9Frame read_vp9_header(Bytes bytes) {
  BitReader reader(bytes);
  Vp9Frame frame;
  frame.valid = reader.bits(2) == 2;
  const unsigned profile = reader.bit() | reader.bit() << 1;
  if (profile == 3) reader.bit();
  if (reader.bit() != 0) {  // shows a frame that was decoded before
    frame.shown = true;
  } else {
    frame.key = reader.bit() == 0;
    frame.shown = reader.bit() != 0;
    reader.bit();  // error resilient
    if (frame.key) frame.valid &= reader.bits(24) == 0x498342;
  }
  frame.valid &= !reader.past_end();
  return frame;
}

}  // namespace

PacketTraits inspect_vp9(Bytes bytes) {
  PacketTraits traits;
  traits.plausible = false;
  if (bytes.empty()) return traits;
  const std::uint8_t marker = bytes.back();
  const std::size_t count = (marker & 7) + 1u, width = (marker >> 3 & 3) + 1u, index = 2 + count * width;
  const bool many = (marker & 0xe0) == 0xc0 && bytes.size() >= index && bytes[bytes.size() - index] == marker;
  int shown = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < (many ? count : 1); ++i) {
    std::size_t size = bytes.size();
    if (many) {
      size = 0;
      const std::size_t entry = bytes.size() - index + 1 + i * width;
      for (std::size_t byte = 0; byte < width; ++byte) size |= std::size_t{bytes[entry + byte]} << 8 * byte;
      if (size == 0 || size > bytes.size() - index - at) return traits;
    }
    const Vp9Frame frame = read_vp9_header(bytes.subspan(at, size));
    if (!frame.valid) return traits;
    if (i == 0 && frame.key) traits.entry = Entry::clean;
    shown += frame.shown;
    at += size;
  }
  traits.plausible = shown <= 1;
  traits.shown = shown == 1;
  return traits;
}

PacketTraits inspect_av1(Bytes bytes) {
  PacketTraits traits;
  bool sequence = false, frame = false;
  while (!bytes.empty() && traits.plausible) {
    const int type = bytes[0] >> 3 & 15;
    const std::size_t header = (bytes[0] & 4) != 0 ? 2 : 1;
    std::size_t size = 0, length = 0;
    if ((bytes[0] & 0x82) != 2 || bytes.size() < header + 1) {  // forbidden bit, or no size field
      traits.plausible = false;
      break;
    }
    bytes = bytes.subspan(header);
    do {
      if (length == bytes.size() || length == 8) {
        traits.plausible = false;
        return traits;
      }
      size |= std::size_t{bytes[length] & 0x7fu} << 7 * length;
    } while ((bytes[length++] & 0x80) != 0);
    if (size > bytes.size() - length) {
      traits.plausible = false;
      return traits;
    }
    const Bytes payload = bytes.subspan(length, size);
    sequence |= type == 1;
    if ((type == 3 || type == 6) && !payload.empty()) {
      // show_existing_frame 0, frame_type 0 (key), show_frame 1
      if (!frame && sequence && payload[0] >> 4 == 1) traits.entry = Entry::clean;
      frame = true;
    }
    bytes = bytes.subspan(length + size);
  }
  traits.plausible &= frame;
  return traits;
}

}  // namespace kinema::media
