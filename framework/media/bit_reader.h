#pragma once

// Private to this folder.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace kinema::media {

using Bytes = std::span<const std::uint8_t>;

// Adds bytes to a hash that is 0 at first (FNV-1a).
inline void mix(std::uint64_t& hash, Bytes bytes) {
  if (hash == 0) hash = 14695981039346656037ull;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
}

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

// Position of the next 00 00 01, or the end.
inline std::size_t find_start_code(Bytes bytes, std::size_t from) {
  static constexpr std::array<std::uint8_t, 3> kCode = {0, 0, 1};
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(from, bytes.size()));
  return static_cast<std::size_t>(std::search(begin, bytes.end(), kCode.begin(), kCode.end()) -
                                  bytes.begin());
}

}  // namespace kinema::media
