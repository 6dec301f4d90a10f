#pragma once

#include <cstdint>
#include <string>

#include "framework/checkpoint/file_io.h"

namespace kinema::checkpoint {

// A part of a file with the CRC-32 of its bytes; 0: not known, nothing is compared.
struct FilePart {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::uint32_t crc = 0;
};

// The part's bytes into `out`. Error(data) naming `what` when they do not match the checksum.
void read_checked(const FileReader& file, const FilePart& part, void* out, const std::string& what);

}  // namespace kinema::checkpoint
