#include "framework/media/bit_reader.h"
#include "framework/media/bitstream.h"

namespace kinema::media {
namespace {

// Calls use(nal) for each NAL unit; false when the framing is wrong.
template <typename Use>
bool each_nal(Bytes bytes, int length_bytes, Use use) {
  if (length_bytes == 0) {
    std::size_t start = find_start_code(bytes, 0);
    if (start == bytes.size()) return false;
    while (start < bytes.size()) {
      const std::size_t next = find_start_code(bytes, start + 3);
      if (next > start + 3) use(bytes.subspan(start + 3, next - start - 3));
      start = next;
    }
    return true;
  }
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (bytes.size() - at < static_cast<std::size_t>(length_bytes)) return false;
    std::size_t length = 0;
    for (int i = 0; i < length_bytes; ++i) length = length << 8 | bytes[at++];
    if (length == 0 || length > bytes.size() - at) return false;
    use(bytes.subspan(at, length));
    at += length;
  }
  return true;
}

// A recovery point of count 0 among the SEI messages: an I picture that an open group of pictures begins
// with.
bool recovers_at_once(Bytes sei) {
  std::size_t at = 1;
  while (at + 2 < sei.size()) {
    unsigned type = 0, size = 0;
    while (at < sei.size() && sei[at] == 255) type += 255, ++at;
    if (at >= sei.size()) return false;
    type += sei[at++];
    while (at < sei.size() && sei[at] == 255) size += 255, ++at;
    if (at >= sei.size()) return false;
    size += sei[at++];
    if (type == 6) return at < sei.size() && BitReader(sei.subspan(at)).golomb() == 0;
    at += size;
  }
  return false;
}

}  // namespace

PacketTraits inspect_h264(Bytes bytes, int length_bytes) {
  PacketTraits traits;
  int pictures = 0, slices = 0, intra = 0;
  bool referenced = false, idr = false, recovery = false;
  const bool framed = each_nal(bytes, length_bytes, [&](Bytes nal) {
    const int type = nal[0] & 31;
    if ((nal[0] & 0x80) != 0) traits.plausible = false;
    switch (type) {
      case 1:
      case 5: {
        BitReader reader(nal.subspan(1));
        const unsigned first_macroblock = reader.golomb(), slice_type = reader.golomb(),
                       set = reader.golomb();
        if (slice_type > 9 || set > 255 || reader.past_end()) traits.plausible = false;
        if (slices++ == 0 && first_macroblock != 0) traits.plausible = false;
        pictures += first_macroblock == 0;
        intra += slice_type % 5 == 2;
        referenced |= (nal[0] & 0x60) != 0;
        idr |= type == 5;
        break;
      }
      case 6:
        recovery |= recovers_at_once(nal);
        break;
      case 7:
      case 8:
      case 13:
        mix(traits.parameters, nal);
        break;
      case 9:
      case 12:
        break;
      default:  // partitions, other layers and views, ends of sequence, private: not worth a guess
        traits.plausible = false;
    }
  });
  traits.plausible &= framed && pictures == 1;
  traits.droppable = !referenced && slices > 0;
  if (idr) {
    traits.entry = Entry::clean;
  } else if (recovery && intra == slices) {
    traits.entry = Entry::open;
  }
  return traits;
}

PacketTraits inspect_hevc(Bytes bytes, int length_bytes) {
  PacketTraits traits;
  int pictures = 0, slices = 0;
  const bool framed = each_nal(bytes, length_bytes, [&](Bytes nal) {
    const int type = nal[0] >> 1 & 63;
    if (nal.size() < 3 || (nal[0] & 0x81) != 0 || (nal[1] & 0xf8) != 0 || (nal[1] & 7) == 0) {
      traits.plausible = false;  // forbidden bit, another layer, no temporal id
      return;
    }
    if (type <= 31) {
      const bool first = (nal[2] & 0x80) != 0;
      const bool random_access = type >= 16 && type <= 23;
      if (slices++ == 0 && !first) traits.plausible = false;
      if (random_access && (nal[2] & 0x40) != 0) traits.plausible = false;  // drops pictures not yet shown
      pictures += first;
      if (random_access) traits.entry = Entry::clean;
    } else if (type <= 34) {
      mix(traits.parameters, nal);
    } else if (type == 36 || type == 37) {
      traits.plausible = false;
    }
  });
  traits.plausible &= framed && pictures == 1;
  return traits;
}

}  // namespace kinema::media
