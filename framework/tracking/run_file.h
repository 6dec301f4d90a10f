#pragma once

#include <string>
#include <string_view>

// Files of a run folder. Failures are Error(run) with the path and the system's reason.
namespace kinema::tracking {

// The file holds the old text or the new one, also after a crash: temporary file, fsync, rename, folder
// fsync.
void write_atomically(const std::string& path, std::string_view text);

// Makes `path` a link to `target` in one step, whatever link was there.
void link_atomically(const std::string& target, const std::string& path);

// The whole text; empty when there is no such file.
std::string read_whole(const std::string& path);

// Appends with one write call at the end of the file, which is made when absent. Lines of one writer never
// mix.
class AppendFile {
 public:
  explicit AppendFile(std::string path);
  ~AppendFile();
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;

  void append(std::string_view text);
  void sync();  // to the disk

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace kinema::tracking
