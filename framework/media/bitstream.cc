#include "framework/media/bitstream.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace kinema::media {
namespace {

using Bytes = std::span<const std::uint8_t>;

class BitReader {
 public:
  explicit BitReader(Bytes bytes) : bytes_(bytes) {}
  unsigned bit() {
    if (at_ >= bytes_.size() * 8) {
      past_end_ = true;
      return 0;
    }
    const unsigned value = bytes_[at_ / 8] >> (7 - at_ % 8) & 1u;
    ++at_;
    return value;
  }
  unsigned bits(int count) {
    unsigned value = 0;
    for (int i = 0; i < count; ++i) value = value << 1 | bit();
    return value;
  }
  // Exp-Golomb, as H.264 and HEVC write unsigned numbers.
  unsigned golomb() {
    int zeros = 0;
    while (!past_end_ && zeros < 31 && bit() == 0) ++zeros;
    return (1u << zeros) - 1 + bits(zeros);
  }
  bool past_end() const { return past_end_; }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
  bool past_end_ = false;
};

void mix(std::uint64_t& hash, Bytes bytes) {
  if (hash == 0) hash = 14695981039346656037ull;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
}

// Position of the next 00 00 01, or the end.
std::size_t find_start_code(Bytes bytes, std::size_t from) {
  static constexpr std::array<std::uint8_t, 3> kCode = {0, 0, 1};
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(from, bytes.size()));
  return static_cast<std::size_t>(std::search(begin, bytes.end(), kCode.begin(), kCode.end()) -
                                  bytes.begin());
}

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

PacketTraits inspect_vp8(Bytes bytes) {
  PacketTraits traits;
  traits.plausible = bytes.size() >= 3;
  if (!traits.plausible) return traits;
  const bool key = (bytes[0] & 1) == 0;
  traits.shown = (bytes[0] >> 4 & 1) != 0;
  const std::size_t first_partition = (bytes[0] | bytes[1] << 8 | bytes[2] << 16) >> 5;
  traits.plausible = first_partition > 0 && first_partition + (key ? 10 : 3) <= bytes.size();
  if (key) {
    traits.plausible =
        traits.shown && bytes.size() >= 10 && bytes[3] == 0x9d && bytes[4] == 0x01 && bytes[5] == 0x2a;
    traits.entry = Entry::clean;
  }
  return traits;
}

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

// A video object layer, after its start code; false when it is cut off or not rectangular.
bool read_layer(Bytes layer, Mpeg4State& state) {
  BitReader reader(layer);
  reader.bits(1 + 8);  // random accessible, type
  unsigned version = 1;
  if (reader.bit() != 0) {
    version = reader.bits(4);
    reader.bits(3);  // priority
  }
  constexpr unsigned kExtendedAspect = 15;
  if (reader.bits(4) == kExtendedAspect) reader.bits(8 + 8);
  if (reader.bit() != 0) {  // control parameters
    reader.bits(2 + 1);     // chroma format, low delay
    if (reader.bit() != 0) {
      for (int i = 0; i < 79; ++i) reader.bit();  // buffer sizes and rates
    }
  }
  const bool rectangular = reader.bits(2) == 0;
  reader.bit();  // marker
  state.ticks_per_second = reader.bits(16);
  state.time_bits = 1;
  while (state.time_bits < 16 && (state.ticks_per_second - 1) >> state.time_bits > 0) ++state.time_bits;
  reader.bit();
  if (reader.bit() != 0) reader.bits(state.time_bits);  // fixed rate
  reader.bits(1 + 13 + 1);                              // width between markers
  reader.bits(13 + 1);                                  // height
  state.interlaced = reader.bit() != 0;
  reader.bit();  // no overlapped motion
  state.sprites = reader.bits(version == 1 ? 1 : 2) != 0;
  state.quantiser_bits = 5;
  if (!state.sprites && reader.bit() != 0) {  // not 8 bits
    state.quantiser_bits = static_cast<int>(reader.bits(4));
    reader.bits(4);
  }
  return rectangular && state.ticks_per_second > 0 && !reader.past_end();
}

enum Mpeg4Picture : unsigned { kIntra = 0, kPredicted = 1, kBidirectional = 2, kSprite = 3 };

// A picture's header, after its start code: coded, in time between its neighbours, with usable parameters. A
// decoder drops other ones.
bool read_picture(Bytes picture, Mpeg4State& state) {
  BitReader reader(picture);
  const unsigned type = reader.bits(2);
  std::int64_t seconds = 0;
  while (reader.bit() != 0) ++seconds;
  reader.bit();
  const std::int64_t ticks = reader.bits(state.time_bits);
  reader.bit();
  bool valid = reader.bit() != 0 && !reader.past_end() && !state.sprites && type != kSprite;
  if (type == kBidirectional) {
    const std::int64_t time = (state.previous_second + seconds) * state.ticks_per_second + ticks;
    const std::int64_t after = state.distance - (state.time - time);
    valid &= after > 0 && after < state.distance;
  } else {
    state.previous_second = state.second;
    state.second += seconds;
    const std::int64_t time = state.second * state.ticks_per_second + ticks;
    state.distance = time - state.time;
    state.time = time;
    if (type == kPredicted) valid &= state.distance > 0;
  }
  if (type == kPredicted) reader.bit();  // rounding
  reader.bits(3);
  if (state.interlaced) reader.bits(2);
  valid &= reader.bits(state.quantiser_bits) != 0;
  if (type != kIntra) valid &= reader.bits(3) != 0;
  if (type == kBidirectional) valid &= reader.bits(3) != 0;
  return valid;
}

PacketTraits inspect_mpeg4(Bytes bytes, Mpeg4State& state) {
  PacketTraits traits;
  int pictures = 0;
  for (std::size_t at = find_start_code(bytes, 0); at + 4 < bytes.size();
       at = find_start_code(bytes, at + 3)) {
    const int code = bytes[at + 3];
    if (code >= 0x20 && code <= 0x2f) {
      const int before = state.time_bits;
      traits.plausible &=
          read_layer(bytes.subspan(at + 4), state) && (before == 0 || before == state.time_bits);
    }
    if (code == 0xb3) {  // a group of pictures sets the clock
      BitReader reader(bytes.subspan(at + 4));
      const std::int64_t hours = reader.bits(5), minutes = reader.bits(6);
      reader.bit();
      state.second = (hours * 60 + minutes) * 60 + reader.bits(6);
    }
    if (code != 0xb6) continue;
    ++pictures;
    const unsigned type = bytes[at + 4] >> 6;
    traits.bidirectional = traits.droppable = type == kBidirectional;
    if (type == kIntra) traits.entry = Entry::clean;
    traits.plausible &= state.time_bits != 0 && read_picture(bytes.subspan(at + 4), state);
  }
  traits.plausible &= pictures == 1;  // two: a packed B-frame
  return traits;
}

PacketTraits inspect_jpeg(Bytes bytes) {
  PacketTraits traits;
  traits.plausible = bytes.size() > 4 && bytes[0] == 0xff && bytes[1] == 0xd8;
  traits.entry = Entry::clean;
  return traits;
}

constexpr std::pair<AVCodecID, Trust> kTrust[] = {
    {AV_CODEC_ID_H264, Trust::scan},
    {AV_CODEC_ID_HEVC, Trust::scan},
    {AV_CODEC_ID_VP8, Trust::scan},
    {AV_CODEC_ID_VP9, Trust::scan},
    {AV_CODEC_ID_AV1, Trust::scan},
    {AV_CODEC_ID_MPEG4, Trust::scan},
    {AV_CODEC_ID_MJPEG, Trust::scan},
    {AV_CODEC_ID_MPEG1VIDEO, Trust::key_frame},
    {AV_CODEC_ID_MPEG2VIDEO, Trust::key_frame},
    {AV_CODEC_ID_H263, Trust::key_frame},
    {AV_CODEC_ID_FLV1, Trust::key_frame},
    {AV_CODEC_ID_WMV1, Trust::key_frame},
    {AV_CODEC_ID_WMV2, Trust::key_frame},
    {AV_CODEC_ID_MSMPEG4V2, Trust::key_frame},
    {AV_CODEC_ID_MSMPEG4V3, Trust::key_frame},
    {AV_CODEC_ID_THEORA, Trust::key_frame},
    {AV_CODEC_ID_FFV1, Trust::key_frame},
    {AV_CODEC_ID_PNG, Trust::key_frame},
    {AV_CODEC_ID_RAWVIDEO, Trust::key_frame},
    {AV_CODEC_ID_HUFFYUV, Trust::key_frame},
    {AV_CODEC_ID_FFVHUFF, Trust::key_frame},
    {AV_CODEC_ID_PRORES, Trust::key_frame},
    {AV_CODEC_ID_DNXHD, Trust::key_frame},
    {AV_CODEC_ID_DVVIDEO, Trust::key_frame},
};

Trust trust_in(AVCodecID codec) {
  const auto* found =
      std::find_if(std::begin(kTrust), std::end(kTrust), [&](auto& row) { return row.first == codec; });
  return found == std::end(kTrust) ? Trust::none : found->second;
}

}  // namespace

Bitstream::Bitstream(const AVCodecParameters& codec)
    : codec_(codec.codec_id), trust_(trust_in(codec.codec_id)) {
  const Bytes extra(codec.extradata, static_cast<std::size_t>(codec.extradata_size));
  if (codec_ == AV_CODEC_ID_H264 && extra.size() >= 7 && extra[0] == 1) length_bytes_ = (extra[4] & 3) + 1;
  if (codec_ == AV_CODEC_ID_HEVC && extra.size() >= 23 && (extra[0] != 0 || extra[1] != 0 || extra[2] > 1)) {
    length_bytes_ = (extra[21] & 3) + 1;
  }
  if (codec_ == AV_CODEC_ID_MPEG4) inspect_mpeg4(extra, mpeg4_);
}

PacketTraits Bitstream::inspect(const AVPacket& packet) {
  const Bytes bytes(packet.data, static_cast<std::size_t>(std::max(packet.size, 0)));
  PacketTraits traits;
  switch (codec_) {
    case AV_CODEC_ID_H264:
      traits = inspect_h264(bytes, length_bytes_);
      break;
    case AV_CODEC_ID_HEVC:
      traits = inspect_hevc(bytes, length_bytes_);
      break;
    case AV_CODEC_ID_VP8:
      traits = inspect_vp8(bytes);
      break;
    case AV_CODEC_ID_VP9:
      traits = inspect_vp9(bytes);
      break;
    case AV_CODEC_ID_AV1:
      traits = inspect_av1(bytes);
      break;
    case AV_CODEC_ID_MPEG4:
      traits = inspect_mpeg4(bytes, mpeg4_);
      break;
    case AV_CODEC_ID_MJPEG:
      traits = inspect_jpeg(bytes);
      break;
    default:
      traits.plausible = false;
  }
  if ((packet.flags & (AV_PKT_FLAG_CORRUPT | AV_PKT_FLAG_DISCARD)) != 0) traits.plausible = false;
  if (av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, nullptr) != nullptr ||
      av_packet_get_side_data(&packet, AV_PKT_DATA_PARAM_CHANGE, nullptr) != nullptr) {
    traits.plausible = false;
  }
  return traits;
}

}  // namespace kinema::media
