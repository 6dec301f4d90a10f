#include <algorithm>

#include "framework/media/bit_reader.h"
#include "framework/media/bitstream.h"

namespace kinema::media {
namespace {

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

// A layer, or the name of an encoder: decoders remember both, and imitate some encoders' mistakes.
bool is_remembered(int code) { return (code >= 0x20 && code <= 0x2f) || code == 0xb2; }

// False when an earlier header of the kind said something else.
bool says_the_same(Bytes header, int code, Mpeg4State& state) {
  while (!header.empty() && header.back() == 0) header = header.first(header.size() - 1);  // stuffing
  std::uint64_t hash = 0;
  mix(hash, header);
  return state.headers.try_emplace(code, hash).first->second == hash;
}

}  // namespace

PacketTraits inspect_mpeg4(Bytes bytes, Mpeg4State& state) {
  PacketTraits traits;
  int pictures = 0, headers = 0;
  for (std::size_t at = find_start_code(bytes, 0); at + 4 < bytes.size();
       at = find_start_code(bytes, at + 3)) {
    const int code = bytes[at + 3];
    headers += code != 0xb6;
    if (is_remembered(code)) {
      const std::size_t next = find_start_code(bytes, at + 3);
      traits.changes |= !says_the_same(bytes.subspan(at + 4, std::max(next, at + 4) - at - 4), code, state);
    }
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
  traits.plausible &= pictures == 1 && !traits.changes;  // two: a packed B-frame
  traits.droppable &= headers == 0;
  return traits;
}

}  // namespace kinema::media
