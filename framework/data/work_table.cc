#include "framework/data/work_table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kinema/error.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* expected) {
  throw Error(ErrorKind::run, path.string(),
              fmt::format("cannot write: expected {}, got \"{}\"", expected, std::strerror(errno)));
}

std::string trimmed_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

void check_settings(const fs::path& file, const std::string& settings) {
  const std::string known = trimmed_end(tracking::read_whole(file.string()));
  if (known.empty()) return tracking::write_atomically(file.string(), settings + "\n");
  if (known == settings) return;
  throw Error(ErrorKind::usage, file.parent_path().string(),
              fmt::format("made with other settings: expected {}, got {}", known, settings),
              "name another --output, or give the settings of this one");
}

// The line that a killed process did not finish.
void cut_torn_line(int file, const fs::path& path) {
  const std::string text = tracking::read_whole(path.string());
  const std::size_t end = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (end < text.size() && ::ftruncate(file, static_cast<off_t>(end)) != 0)
    fail(path, "a file that can be cut");
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

void sync_to_disk(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  if (fd >= 0) ::close(fd);
  if (!synced) fail(path, "a disk that takes the bytes");
}

WorkTable::WorkTable(const fs::path& folder, const char* settings_name, const char* table_name,
                     const std::string& settings)
    : path_(folder / table_name) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  lock_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) fail(path_, "a folder that takes files");
  try {
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0)
      throw Error(ErrorKind::run, folder.string(),
                  "in use: expected to be alone in this folder, got another process that writes it");
    check_settings(folder / settings_name, settings);
    cut_torn_line(lock_, path_);
    file_.emplace(path_.string());
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

WorkTable::~WorkTable() { ::close(lock_); }

void WorkTable::append(std::string_view line) {
  file_->append(fmt::format("{}\n", line));
  file_->sync();
}

}  // namespace kinema::data
