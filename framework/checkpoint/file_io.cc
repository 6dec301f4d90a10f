#include "framework/checkpoint/file_io.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

// A signal storm must not become a hang.
constexpr int kMaxInterruptions = 1000;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

template <class F>
auto uninterrupted(F call) {
  auto result = call();
  for (int i = 0; i < kMaxInterruptions && result == -EINTR; ++i) result = call();
  return result;
}

[[noreturn]] void fail(const std::string& path, const char* action, int error) {
  throw Error(ErrorKind::run, path, fmt::format("cannot {}: {}", action, std::strerror(error)),
              error == ENOSPC || error == EDQUOT ? "free some space, or keep fewer checkpoints" : "");
}

template <class F>
auto must(const std::string& path, const char* action, F call) {
  const auto result = uninterrupted(call);
  if (result < 0) fail(path, action, static_cast<int>(-result));
  return result;
}

// Linux has closed the descriptor even when close() was interrupted: never repeated.
void close_checked(FileSystem& system, int fd, const std::string& path, const char* action) {
  const int result = system.close(fd);
  if (result < 0 && result != -EINTR) fail(path, action, -result);
}

std::string parent_of(const std::string& path) {
  const auto end = path.find_last_not_of('/');
  const auto slash = path.find_last_of('/', end);
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

struct ContentHash {
  ContentHash() { XXH3_64bits_reset(state); }
  ~ContentHash() { XXH3_freeState(state); }
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;
  void add(const void* data, std::size_t bytes) {
    if (bytes > 0) XXH3_64bits_update(state, data, bytes);
  }
  std::string hex() const {
    return fmt::format("{:016x}", static_cast<std::uint64_t>(XXH3_64bits_digest(state)));
  }

  XXH3_state_t* state = XXH3_createState();
};

FileWriter::FileWriter(FileSystem& system, std::string path)
    : system_(system), path_(std::move(path)), hash_(std::make_unique<ContentHash>()) {
  fd_ = must(path_, "create the file", [&] { return system_.open_new(path_); });
}

FileWriter::~FileWriter() {
  if (fd_ >= 0) system_.close(fd_);
}

void FileWriter::append(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  hash_->add(data, bytes);
  bytes_ += static_cast<std::int64_t>(bytes);
  while (bytes > 0) {
    const ssize_t written = must(path_, "write", [&] { return system_.write(fd_, next, bytes); });
    if (written == 0) fail(path_, "write", EIO);
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

FileFacts FileWriter::finish() {
  must(path_, "flush to disk", [&] { return system_.fsync(fd_); });
  const int fd = std::exchange(fd_, -1);
  close_checked(system_, fd, path_, "close after writing");
  return {bytes_, hash_->hex()};
}

FileReader::FileReader(FileSystem& system, std::string path) : system_(system), path_(std::move(path)) {
  fd_ = must(path_, "open", [&] { return system_.open_read(path_); });
  FileStatus facts;
  const int result = uninterrupted([&] { return system_.status_of(fd_, facts); });
  if (result == 0 && facts.type == FileType::regular) {
    bytes_ = facts.bytes;
    return;
  }
  system_.close(std::exchange(fd_, -1));
  if (result < 0) fail(path_, "open", -result);
  throw Error(ErrorKind::data, path_, "not a file: expected a regular file, got a folder or a device");
}

FileReader::~FileReader() {
  if (fd_ >= 0) system_.close(fd_);
}

void FileReader::read_at(std::int64_t offset, void* data, std::size_t bytes) const {
  char* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = must(path_, "read", [&] { return system_.read_at(fd_, next, bytes, offset); });
    if (got == 0)
      throw Error(
          ErrorKind::data, path_,
          fmt::format("file ends early: expected {} more bytes at offset {}, got none", bytes, offset));
    next += got;
    offset += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

std::string join(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.back() == '/' ? folder + name : folder + '/' + name;
}

FileFacts write_text(FileSystem& system, const std::string& path, std::string_view text) {
  FileWriter writer(system, path);
  writer.append(text);
  return writer.finish();
}

std::string read_text(FileSystem& system, const std::string& path, std::int64_t limit) {
  const FileReader reader(system, path);
  if (reader.bytes() > limit)
    throw Error(ErrorKind::data, path,
                fmt::format("file is too large: expected at most {} bytes, got {}", limit, reader.bytes()));
  std::string text(static_cast<std::size_t>(reader.bytes()), '\0');
  reader.read_at(0, text.data(), text.size());
  return text;
}

FileFacts hash_file(FileSystem& system, const std::string& path) {
  const FileReader reader(system, path);
  ContentHash hash;
  std::vector<char> chunk(std::min<std::size_t>(kChunkBytes, static_cast<std::size_t>(reader.bytes())));
  for (std::int64_t offset = 0; offset < reader.bytes();) {
    const auto bytes =
        std::min<std::int64_t>(static_cast<std::int64_t>(chunk.size()), reader.bytes() - offset);
    reader.read_at(offset, chunk.data(), static_cast<std::size_t>(bytes));
    hash.add(chunk.data(), static_cast<std::size_t>(bytes));
    offset += bytes;
  }
  return {reader.bytes(), hash.hex()};
}

FileStatus status(FileSystem& system, const std::string& path) {
  FileStatus facts;
  must(path, "look at", [&] { return system.status(path, facts); });
  return facts;
}

std::vector<std::string> list(FileSystem& system, const std::string& folder) {
  std::vector<std::string> names;
  must(folder, "list the folder", [&] { return system.list(folder, names); });
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_link(FileSystem& system, const std::string& path) {
  std::string target;
  must(path, "read the link", [&] { return system.read_link(path, target); });
  return target;
}

void make_folder(FileSystem& system, const std::string& path) {
  must(path, "make the folder", [&] { return system.make_folder(path); });
}

void make_folders(FileSystem& system, const std::string& path) {
  const int result = uninterrupted([&] { return system.make_folder(path); });
  if (result == -EEXIST) return;
  if (result == -ENOENT && parent_of(path) != path) {
    make_folders(system, parent_of(path));
    make_folder(system, path);
  } else if (result < 0) {
    fail(path, "make the folder", -result);
  }
  sync_folder(system, parent_of(path));
}

void sync_folder(FileSystem& system, const std::string& path) {
  const int fd = must(path, "open the folder", [&] { return system.open_folder(path); });
  const int result = uninterrupted([&] { return system.fsync(fd); });
  system.close(fd);
  if (result < 0) fail(path, "flush the folder to disk", -result);
}

void rename(FileSystem& system, const std::string& from, const std::string& to) {
  must(from, "rename", [&] { return system.rename(from, to); });
}

bool exchange(FileSystem& system, const std::string& a, const std::string& b) {
  const int result = uninterrupted([&] { return system.exchange(a, b); });
  if (result == -EINVAL || result == -ENOSYS || result == -EXDEV) return false;
  if (result < 0) fail(a, "exchange with its replacement", -result);
  return true;
}

void remove_tree(FileSystem& system, const std::string& path) {
  if (status(system, path).type != FileType::folder) {
    must(path, "remove", [&] { return system.remove_file(path); });
    return;
  }
  for (const std::string& name : list(system, path)) remove_tree(system, join(path, name));
  must(path, "remove the folder", [&] { return system.remove_folder(path); });
}

void replace_link(FileSystem& system, const std::string& folder, const std::string& name,
                  const std::string& target) {
  const std::string temporary = join(folder, fmt::format("{}.tmp-{}", name, ::getpid()));
  if (status(system, temporary).type != FileType::none) remove_tree(system, temporary);
  must(temporary, "make the link", [&] { return system.make_link(target, temporary); });
  try {
    rename(system, temporary, join(folder, name));
  } catch (const Error&) {
    uninterrupted([&] { return system.remove_file(temporary); });
    throw;
  }
  sync_folder(system, folder);
}

}  // namespace kinema::checkpoint
