#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "framework/data/work_table.h"

namespace kinema::data {

// What a folder of transcoded videos holds and how it was made: transcode.json (the settings) and
// transcode.tsv (name, bytes and time of the source, bytes; a line a file, written before the file gets its
// name). Thread safe. One process at a time.
class TranscodeLedger {
 public:
  // Throws Error(usage) when the folder was made with other settings, Error(run) when another process is at
  // it.
  TranscodeLedger(const std::filesystem::path& folder, const std::string& settings);

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
  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  WorkTable table_;
  std::multimap<std::string, Record> records_;
};

}  // namespace kinema::data
