#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "framework/tracking/run_file.h"

namespace kinema::data {

// Which file something was made from; another size or time means another file.
struct SourceStamp {
  std::int64_t bytes = 0, mtime_ns = 0;
  bool operator==(const SourceStamp&) const = default;
};
// Throws Error(data) for what is missing.
SourceStamp source_stamp(const std::filesystem::path& file);

// Brings a file or folder to the disk. Throws Error(run).
void sync_to_disk(const std::filesystem::path& path);

// A folder that is made from other files by runs that may be killed: how it is made (the settings), and a
// table that gets a line for each piece of finished work. One process at a time.
class WorkTable {
 public:
  // Throws Error(usage) when the folder was made with other settings, Error(run) when another process is at
  // it. A line that was cut off is gone.
  WorkTable(const std::filesystem::path& folder, const char* settings_name, const char* table_name,
            const std::string& settings);
  ~WorkTable();
  WorkTable(const WorkTable&) = delete;
  WorkTable& operator=(const WorkTable&) = delete;

  std::string text() const { return tracking::read_whole(path_.string()); }
  // A line, on the disk when this returns.
  void append(std::string_view line);

 private:
  std::filesystem::path path_;
  int lock_ = -1;
  std::optional<tracking::AppendFile> file_;
};

}  // namespace kinema::data
