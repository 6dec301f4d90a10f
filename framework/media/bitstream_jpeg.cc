#include <algorithm>
#include <array>

#include "framework/media/bit_reader.h"
#include "framework/media/bitstream.h"

namespace kinema::media {
namespace {

enum Marker : std::uint8_t {
  kBaseline = 0xc0,
  kProgressive = 0xc2,
  kHuffman = 0xc4,
  kRestart0 = 0xd0,
  kRestart7 = 0xd7,
  kStart = 0xd8,
  kEnd = 0xd9,
  kScan = 0xda,
  kQuantisers = 0xdb,
  kRestartInterval = 0xdd,
  kApplication0 = 0xe0,
  kApplication15 = 0xef,
  kComment = 0xfe,
};

// What the segments of one picture have defined so far. A decoder keeps tables from picture to picture: one
// that uses tables which it does not bring along depends on those before it.
struct JpegState {
  bool quantisers[4] = {}, huffman[2][4] = {};
  bool brings_huffman = false;
  int components = 0;
  std::uint8_t ids[4] = {}, tables[4] = {};
  bool frame = false, scan = false;
};

bool read_quantisers(Bytes body, JpegState& state) {
  while (!body.empty()) {
    const std::size_t size = 1 + std::size_t{64} * (1u + (body[0] >> 4));
    if (body[0] >> 4 > 1 || (body[0] & 15) > 3 || body.size() < size) return false;
    state.quantisers[body[0] & 15] = true;
    body = body.subspan(size);
  }
  return true;
}

bool read_huffman(Bytes body, JpegState& state) {
  while (!body.empty()) {
    if (body.size() < 17 || body[0] >> 4 > 1 || (body[0] & 15) > 3) return false;
    std::size_t count = 0, codes = 0;
    for (unsigned bits = 1; bits <= 16; ++bits) {
      count += body[bits];
      codes += std::size_t{body[bits]} << (16 - bits);
    }
    if (count == 0 || count > 256 || codes > 65536 || body.size() < 17 + count) return false;
    state.huffman[body[0] >> 4][body[0] & 15] = state.brings_huffman = true;
    body = body.subspan(17 + count);
  }
  return true;
}

bool read_frame(Bytes body, JpegState& state) {
  if (state.frame || body.size() < 6 || body[0] != 8) return false;
  state.components = body[5];
  if (state.components < 1 || state.components > 4) return false;
  if (body.size() != 6 + 3 * static_cast<std::size_t>(state.components)) return false;
  for (int i = 0; i < state.components; ++i) {
    state.ids[i] = body[6 + 3 * static_cast<std::size_t>(i)];
    state.tables[i] = body[8 + 3 * static_cast<std::size_t>(i)];
    if (state.tables[i] > 3 || !state.quantisers[state.tables[i]]) return false;
  }
  return state.frame = (body[1] | body[2]) != 0 && (body[3] | body[4]) != 0;
}

bool read_scan(Bytes body, JpegState& state) {
  if (!state.frame || body.empty()) return false;
  const int count = body[0];
  if (count < 1 || count > state.components || body.size() != 4 + 2 * static_cast<std::size_t>(count))
    return false;
  for (int i = 0; i < count; ++i) {
    const std::uint8_t id = body[1 + 2 * static_cast<std::size_t>(i)],
                       tables = body[2 + 2 * static_cast<std::size_t>(i)];
    bool known = false;
    for (int k = 0; k < state.components; ++k) known |= state.ids[k] == id;
    if (!known || tables >> 4 > 3 || (tables & 15) > 3) return false;
    if (state.brings_huffman && (!state.huffman[0][tables >> 4] || !state.huffman[1][tables & 15]))
      return false;
  }
  return state.scan = true;
}

// An AVI file's note that a packet holds two pictures of every other row.
bool of_one_field(Bytes body) {
  constexpr std::array<std::uint8_t, 4> kName = {'A', 'V', 'I', '1'};
  return body.size() > 4 && std::ranges::equal(body.first(4), kName) && body[4] != 0;
}

// The marker behind coded data, or the end.
std::size_t after_coded(Bytes bytes, std::size_t at) {
  for (; at + 1 < bytes.size(); ++at) {
    const std::uint8_t next = bytes[at + 1];
    if (bytes[at] == 0xff && next != 0 && (next < kRestart0 || next > kRestart7)) return at;
  }
  return bytes.size();
}

}  // namespace

// One whole picture whose tables are its own, of one field. A decoder that meets another kind of segment, or
// none where one should be, drops the picture or remembers something.
PacketTraits inspect_jpeg(Bytes bytes) {
  PacketTraits traits;
  traits.entry = Entry::clean;
  traits.plausible = false;
  if (bytes.size() < 4 || bytes[0] != 0xff || bytes[1] != kStart) return traits;
  JpegState state;
  std::size_t at = 2;
  while (at + 4 <= bytes.size() && bytes[at] == 0xff && bytes[at + 1] != kEnd) {
    const std::uint8_t marker = bytes[at + 1];
    const std::size_t length = std::size_t{bytes[at + 2]} << 8 | bytes[at + 3];
    if (length < 2 || length > bytes.size() - at - 2) return traits;
    const Bytes body = bytes.subspan(at + 4, length - 2);
    bool good = true;
    if (marker == kQuantisers) {
      good = read_quantisers(body, state);
    } else if (marker == kHuffman) {
      good = read_huffman(body, state);
    } else if (marker >= kBaseline && marker <= kProgressive) {
      good = read_frame(body, state);
      mix(traits.parameters, bytes.subspan(at, length + 2));
    } else if (marker == kScan) {
      good = read_scan(body, state);
    } else if (marker >= kApplication0 && marker <= kApplication15) {
      good = !of_one_field(body);
    } else {
      good = marker == kRestartInterval || marker == kComment;
    }
    if (!good) return traits;
    at += length + 2;
    if (marker == kScan) at = after_coded(bytes, at);
  }
  traits.plausible = state.scan && at + 2 <= bytes.size() && bytes[at] == 0xff && bytes[at + 1] == kEnd;
  const std::uint8_t brings[] = {static_cast<std::uint8_t>(state.brings_huffman)};
  mix(traits.parameters, brings);
  return traits;
}

}  // namespace kinema::media
