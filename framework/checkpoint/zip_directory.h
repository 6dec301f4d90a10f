#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/checkpoint/file_io.h"

namespace kinema::checkpoint {

struct ZipRecord {
  std::string name;
  std::uint32_t crc = 0;    // 0: PyTorch was told not to compute it
  std::int64_t bytes = 0;   // in the file
  std::int64_t header = 0;  // offset of the record's local header
  std::int64_t data = 0;    // offset of its content; read_zip_directory() leaves it 0
  bool compressed = false;
};

constexpr std::int64_t kMaxZipRecords = 100'000;
constexpr std::int64_t kMaxZipDirectoryBytes = 64 << 20;
constexpr std::size_t kMaxZipNameBytes = 4096;

struct ZipDirectory {
  std::vector<ZipRecord> records;
  std::int64_t begin = 0;  // where the directory starts and the records end
};

// Reads the list of records at the end of a zip file, zip64 included. Throws Error(data) with every record
// that is encrypted, outside the file, named twice, or named by a path that leaves the archive's folder; and
// for a directory that does not fit its file. Entries for folders are left out.
ZipDirectory read_zip_directory(const FileReader& file);

}  // namespace kinema::checkpoint
