#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/checkpoint/crc32.h"
#include "tests/unit/checkpoint/raw_pickle.h"

// Zip archives by hand, with any lie in any field.
namespace kinema::checkpoint::raw {

struct ZipPart {
  std::string name, data;
  std::uint16_t method = 0, flags = 0;
  std::optional<std::uint32_t> crc, size, stored, header;  // in the directory
  std::optional<std::uint32_t> local_crc, local_size;      // in the record's own header
  std::optional<std::string> local_name;
  std::string extra;  // in the directory
};

struct ZipLies {
  std::optional<std::uint16_t> entries, disk;
  std::optional<std::uint32_t> directory_bytes, directory_begin;
  std::string before_end, comment;
};

inline std::string zip(const std::vector<ZipPart>& parts, const ZipLies& lies = {}) {
  std::string out, directory;
  const auto u16 = [](std::size_t n) { return packed(static_cast<std::uint16_t>(n)); };
  const auto u32 = [](std::size_t n) { return packed(static_cast<std::uint32_t>(n)); };
  for (const ZipPart& part : parts) {
    const std::size_t header = out.size();
    const auto crc = part.crc.value_or(crc32(part.data.data(), part.data.size()));
    const auto size = static_cast<std::uint32_t>(part.data.size());
    const std::string local = part.local_name.value_or(part.name);
    out += "PK\3\4" + u16(20) + u16(part.flags) + u16(part.method) + u32(0) +
           packed(part.local_crc.value_or(crc)) + packed(part.local_size.value_or(size)) +
           packed(part.local_size.value_or(size)) + u16(local.size()) + u16(0) + local + part.data;
    directory += "PK\1\2" + u16(20) + u16(20) + u16(part.flags) + u16(part.method) + u32(0) + packed(crc) +
                 packed(part.stored.value_or(size)) + packed(part.size.value_or(size)) +
                 u16(part.name.size()) + u16(part.extra.size()) + u16(0) + u16(0) + u16(0) + u32(0) +
                 u32(part.header.value_or(header)) + part.name + part.extra;
  }
  const std::size_t begin = out.size();
  out += directory + lies.before_end;
  return out + "PK\5\6" + u16(lies.disk.value_or(0)) + u16(0) + u16(lies.entries.value_or(parts.size())) +
         u16(lies.entries.value_or(parts.size())) + u32(lies.directory_bytes.value_or(directory.size())) +
         u32(lies.directory_begin.value_or(begin)) + u16(lies.comment.size()) + lies.comment;
}

// A .pth archive of this pickle body and storage "0".
inline std::string pth(const std::string& body, const std::string& storage0 = std::string(16, '\0')) {
  return zip({{"x/data.pkl", pickle(body)},
              {"x/byteorder", "little"},
              {"x/data/0", storage0},
              {"x/version", "3\n"}});
}

}  // namespace kinema::checkpoint::raw
