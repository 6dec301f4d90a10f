#include "framework/checkpoint/crc32.h"

#include <array>
#include <cstring>

namespace kinema::checkpoint {
namespace {

// kTables[k][b]: the register after byte b and k zero bytes. Sixteen of them take sixteen bytes a step, about
// five times the speed of the byte-wise loop, which would take longer than reading a checkpoint.
constexpr int kSlices = 16;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t value = b;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320u : 0u);
    tables[0][b] = value;
  }
  for (std::size_t k = 1; k < kSlices; ++k)
    for (std::size_t b = 0; b < 256; ++b)
      tables[k][b] = (tables[k - 1][b] >> 8) ^ tables[0][tables[k - 1][b] & 0xff];
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32(const void* data, std::size_t bytes, std::uint32_t crc) {
  const auto* next = static_cast<const unsigned char*>(data);
  crc = ~crc;
  for (; bytes >= kSlices; bytes -= kSlices, next += kSlices) {
    std::uint32_t words[4];
    std::memcpy(words, next, sizeof words);
    words[0] ^= crc;
    crc = 0;
    for (std::size_t w = 0; w < 4; ++w)
      for (std::size_t b = 0; b < 4; ++b) crc ^= kTables[15 - 4 * w - b][(words[w] >> (8 * b)) & 0xff];
  }
  for (; bytes > 0; --bytes) crc = (crc >> 8) ^ kTables[0][(crc ^ *next++) & 0xff];
  return ~crc;
}

}  // namespace kinema::checkpoint
