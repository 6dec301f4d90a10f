#include "framework/data/transcode_ledger.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "kinema/error.h"

namespace kinema::data {

namespace fs = std::filesystem;

TranscodeLedger::TranscodeLedger(const fs::path& folder, const std::string& settings)
    : folder_(folder), table_(folder, kSettings, kTable, settings) {
  std::istringstream lines(table_.text());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    Record record;
    if (std::getline(fields, name, '\t') &&
        fields >> record.source.bytes >> record.source.mtime_ns >> record.bytes)
      records_.emplace(name, record);
  }
}

TranscodeLedger::State TranscodeLedger::state(const std::string& name, const SourceStamp& source) const {
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(folder_ / name, failed);
  if (!fs::exists(status)) return State::absent;
  if (!fs::is_regular_file(status)) return State::foreign;
  const auto bytes = static_cast<std::int64_t>(fs::file_size(folder_ / name, failed));
  const std::lock_guard lock(mutex_);
  State found = State::foreign;
  const auto [begin, end] = records_.equal_range(name);
  for (auto at = begin; at != end; ++at) {
    if (at->second.bytes != bytes) continue;
    found = at->second.source == source ? State::finished : State::outdated;
  }
  return found;
}

void TranscodeLedger::publish(const fs::path& temporary, const std::string& name, const SourceStamp& source) {
  sync_to_disk(temporary);
  const Record record{source, static_cast<std::int64_t>(fs::file_size(temporary))};
  {
    const std::lock_guard lock(mutex_);
    records_.emplace(name, record);
    table_.append(fmt::format("{}\t{}\t{}\t{}", name, source.bytes, source.mtime_ns, record.bytes));
  }
  const fs::path target = folder_ / name;
  if (::rename(temporary.c_str(), target.c_str()) != 0)
    throw Error(
        ErrorKind::run, target.string(),
        fmt::format("cannot write: expected a folder that takes files, got \"{}\"", std::strerror(errno)));
  sync_to_disk(target.parent_path());
}

}  // namespace kinema::data
