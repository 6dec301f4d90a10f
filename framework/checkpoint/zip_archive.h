#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/checkpoint/zip_directory.h"

namespace kinema::checkpoint {

// A zip file, zip64 included, as PyTorch writes it. Nothing is trusted: records lie inside the file, apart
// from one another, and agree with their own headers. Compressed records are listed, but never unpacked, so
// no archive can be larger than its file.
class ZipArchive {
 public:
  // `file` is borrowed. Throws Error(data) with every record at fault.
  explicit ZipArchive(const FileReader& file);

  const std::vector<ZipRecord>& records() const { return records_; }  // by name
  const ZipRecord* find(std::string_view name) const;                 // null: there is none

  // Throws Error(data) with the names of compressed records. Reading one is a mistake of the caller.
  void refuse_compressed() const;

  // The whole content into `out`, which holds record.bytes. Throws Error(data) when it does not match its
  // checksum.
  void read(const ZipRecord& record, void* out) const;
  // Error(data) above `limit` bytes.
  std::string read_text(const ZipRecord& record, std::int64_t limit) const;

 private:
  const FileReader& file_;
  std::vector<ZipRecord> records_;
};

}  // namespace kinema::checkpoint
