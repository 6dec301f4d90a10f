#include "framework/data/transcode_ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "kinema/error.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* expected) {
  throw Error(ErrorKind::run, path.string(),
              fmt::format("cannot write: expected {}, got \"{}\"", expected, std::strerror(errno)));
}

void sync(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  if (fd >= 0) ::close(fd);
  if (!synced) fail(path, "a disk that takes the bytes");
}

std::string trimmed_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

SourceStamp source_stamp(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0)
    throw Error(ErrorKind::data, file.string(),
                fmt::format("cannot be read: expected a video, got \"{}\"", std::strerror(errno)));
  return {status.st_size,
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + std::int64_t{status.st_mtim.tv_nsec}};
}

TranscodeLedger::TranscodeLedger(const fs::path& folder, const std::string& settings) : folder_(folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  const fs::path table = folder / kTable;
  lock_ = ::open(table.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) fail(table, "a folder that takes files");
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw Error(ErrorKind::run, folder.string(),
                "in use: expected to be alone in this folder, got another process that writes it");
  }
  const std::string path = (folder / kSettings).string();
  const std::string known = trimmed_end(tracking::read_whole(path));
  if (!known.empty() && known != settings) {
    ::close(lock_);
    throw Error(ErrorKind::usage, folder.string(),
                fmt::format("made with other settings: expected {}, got {}", known, settings),
                "name another --output, or give the settings of this one");
  }
  if (known.empty()) tracking::write_atomically(path, settings + "\n");
  table_.emplace(table.string());
  read_table();
}

TranscodeLedger::~TranscodeLedger() {
  if (lock_ >= 0) ::close(lock_);
}

void TranscodeLedger::read_table() {
  const std::string text = tracking::read_whole((folder_ / kTable).string());
  if (!text.empty() && !text.ends_with('\n')) table_->append("\n");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    Record record;
    // The last line may have been cut off: its file has no name yet.
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
  sync(temporary);
  const Record record{source, static_cast<std::int64_t>(fs::file_size(temporary))};
  {
    const std::lock_guard lock(mutex_);
    records_.emplace(name, record);
    table_->append(fmt::format("{}\t{}\t{}\t{}\n", name, source.bytes, source.mtime_ns, record.bytes));
    table_->sync();
  }
  const fs::path target = folder_ / name;
  if (::rename(temporary.c_str(), target.c_str()) != 0) fail(target, "a folder that takes files");
  sync(target.parent_path());
}

}  // namespace kinema::data
