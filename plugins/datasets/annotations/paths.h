#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Folders and file names that annotations speak of.
namespace kinema::annotations {

// Extensions of video files, lower case, without dot.
const std::vector<std::string>& video_extensions();
bool has_extension(const std::filesystem::path& path, const std::vector<std::string>& extensions);

// Why a path of a list may not be used ("an absolute path: expected ..., got ..."); empty: it may.
std::string refused(std::string_view path, bool allow_absolute = false);

// False when there is no such folder; throws Error(data) for one that cannot be looked at.
bool is_folder(const std::filesystem::path& path);
// Throws Error(data) unless it is a folder that can be looked at.
void check_folder(const std::filesystem::path& path, const std::string& expected = "the root of the data set",
                  const std::string& hint = {});
// The first of `names` that is a folder inside root, else root itself: where archives unpack.
std::filesystem::path inside(const std::filesystem::path& root, const std::vector<std::string>& names);
// The first of `names` that exists in `folder`, else the first name.
std::filesystem::path first_file(const std::filesystem::path& folder, const std::vector<std::string>& names);

// What lies in a folder, sorted by byte, without hidden entries. Throws Error(data).
std::vector<std::filesystem::directory_entry> sorted_entries(const std::filesystem::path& folder);

// The videos of a folder and of folders in it, `depth` levels down, by file name without extension. Of equal
// names the first by byte order of the path counts. Hidden entries are skipped, links are followed.
class VideoFiles {
 public:
  explicit VideoFiles(const std::filesystem::path& root, int depth = 3);
  // Path relative to the root, with '/'.
  std::optional<std::string> find(const std::string& stem) const;
  std::size_t size() const { return files_.size(); }

 private:
  void collect(const std::filesystem::path& folder, const std::string& relative, int depth);
  std::unordered_map<std::string, std::string> files_;
};

}  // namespace kinema::annotations
