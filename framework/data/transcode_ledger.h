#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
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

// What a folder of transcoded videos holds and how it was made: transcode.json (the settings) and
// transcode.tsv (name, bytes and time of the source, bytes; a line a file, written before the file gets its
// name). Thread safe. One process at a time.
class TranscodeLedger {
 public:
  // Throws Error(usage) when the folder was made with other settings, Error(run) when another process is at
  // it.
  TranscodeLedger(const std::filesystem::path& folder, const std::string& settings);
  ~TranscodeLedger();
  TranscodeLedger(const TranscodeLedger&) = delete;
  TranscodeLedger& operator=(const TranscodeLedger&) = delete;

  enum class State { absent, finished, outdated, foreign };
  // Of folder / name: there and made from that source; made from another one; not made here.
  State state(const std::string& name, const SourceStamp& source) const;
  // Makes what lies at `temporary` the file of that name, on the disk.
  void publish(const std::filesystem::path& temporary, const std::string& name, const SourceStamp& source);

  static constexpr const char* kSettings = "transcode.json";
  static constexpr const char* kTable = "transcode.tsv";

 private:
  struct Record {
    SourceStamp source;
    std::int64_t bytes = 0;
  };
  void read_table();
  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::multimap<std::string, Record> records_;
  int lock_ = -1;
  std::optional<tracking::AppendFile> table_;
};

}  // namespace kinema::data
