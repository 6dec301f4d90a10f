#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/checkpoint/file_system.h"

// What the room does with files, over a FileSystem: interrupted calls are repeated, short reads and writes
// are continued, every failure is Error(run) with the path and the system's reason.
namespace kinema::checkpoint {

struct FileFacts {
  std::int64_t bytes = 0;
  std::string xxh3;  // 16 lower-case hex digits of XXH3-64
  bool operator==(const FileFacts&) const = default;
};

struct ContentHash;

// Writes a new file in sequence, hashing as it goes. Without finish() the file is incomplete.
class FileWriter {
 public:
  FileWriter(FileSystem& system, std::string path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void append(const void* data, std::size_t bytes);
  void append(std::string_view text) { append(text.data(), text.size()); }
  // fsync and close: the content is durable, its name only after sync_folder() of its folder.
  FileFacts finish();

 private:
  FileSystem& system_;
  std::string path_;
  int fd_ = -1;
  std::int64_t bytes_ = 0;
  std::unique_ptr<ContentHash> hash_;
};

// A regular file for reading; pread, not mmap: a failing disk gives an error instead of SIGBUS, and no second
// copy of the file counts as memory.
class FileReader {
 public:
  FileReader(FileSystem& system, std::string path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  std::int64_t bytes() const { return bytes_; }
  const std::string& path() const { return path_; }
  // Exactly `bytes` bytes at `offset`; Error(data) when the file ends before.
  void read_at(std::int64_t offset, void* data, std::size_t bytes) const;

 private:
  FileSystem& system_;
  std::string path_;
  int fd_ = -1;
  std::int64_t bytes_ = 0;
};

std::string join(const std::string& folder, const std::string& name);

FileFacts write_text(FileSystem& system, const std::string& path, std::string_view text);
// Error(data) above `limit` bytes.
std::string read_text(FileSystem& system, const std::string& path, std::int64_t limit);
FileFacts hash_file(FileSystem& system, const std::string& path);

FileStatus status(FileSystem& system, const std::string& path);
std::vector<std::string> list(FileSystem& system, const std::string& folder);  // sorted
std::string read_link(FileSystem& system, const std::string& path);
void make_folder(FileSystem& system, const std::string& path);
void make_folders(FileSystem& system, const std::string& path);  // with its parents; synced; may exist
void sync_folder(FileSystem& system, const std::string& path);
void rename(FileSystem& system, const std::string& from, const std::string& to);
// False where the file system cannot do it.
bool exchange(FileSystem& system, const std::string& a, const std::string& b);
// Links are removed, not followed.
void remove_tree(FileSystem& system, const std::string& path);
// Makes `folder`/`name` a link to `target` in one step, whatever link was there, and syncs the folder.
void replace_link(FileSystem& system, const std::string& folder, const std::string& name,
                  const std::string& target);

}  // namespace kinema::checkpoint
