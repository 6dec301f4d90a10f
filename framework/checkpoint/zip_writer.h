#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/checkpoint/file_io.h"
#include "framework/checkpoint/zip_directory.h"

namespace kinema::checkpoint {

// Writes a zip file of stored records, in sequence. Every record's content starts at a multiple of 64 bytes,
// so that readers can map it. Numbers above 32 bits go into zip64 fields.
class ZipWriter {
 public:
  // `always_zip64` uses those fields for every number: for tests.
  explicit ZipWriter(FileWriter& file, bool always_zip64 = false) : file_(file), zip64_(always_zip64) {}

  void add(const std::string& name, const void* data, std::size_t bytes);
  void add(const std::string& name, std::string_view text) { add(name, text.data(), text.size()); }
  // The directory. The caller finishes the file.
  void finish();

 private:
  void append(const std::string& bytes);
  bool large(std::int64_t number) const { return zip64_ || number >= 0xffffffffLL; }
  std::string entry(const ZipRecord& record) const;
  std::string end64(std::int64_t begin, std::int64_t bytes) const;

  FileWriter& file_;
  bool zip64_;
  std::int64_t at_ = 0;
  std::vector<ZipRecord> records_;
};

}  // namespace kinema::checkpoint
