#include "framework/checkpoint/checked_read.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/checkpoint/crc32.h"
#include "kinema/error.h"

namespace kinema::checkpoint {

void read_checked(const FileReader& file, const FilePart& part, void* out, const std::string& what) {
  // Piece by piece, so that the checksum finds the bytes in the cache.
  constexpr std::int64_t kPieceBytes = 1 << 18;
  auto* next = static_cast<char*>(out);
  std::uint32_t crc = 0;
  for (std::int64_t at = 0; at < part.bytes; at += kPieceBytes) {
    const auto bytes = static_cast<std::size_t>(std::min(kPieceBytes, part.bytes - at));
    file.read_at(part.offset + at, next + at, bytes);
    if (part.crc != 0) crc = crc32(next + at, bytes, crc);
  }
  if (crc != part.crc)
    throw Error(ErrorKind::data, file.path(),
                fmt::format("{} is damaged: expected checksum {:08x}, got {:08x}", what, part.crc, crc));
}

}  // namespace kinema::checkpoint
