#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Private to this plugin: the frame lists of PySlowFast.
namespace kinema::charades {

// The frames of one video, which are numbered pictures in one folder, with the classes of each.
struct Video {
  std::string id;
  std::string folder, pictures;  // "46GP8", "46GP8-%06d.jpg"
  std::int64_t first_number = 1;
  std::vector<std::vector<std::int64_t>> labels;  // of each frame; classes of a frame are sorted
  std::size_t line = 0;                           // of its first row
};

// `original_vido_id video_id frame_id path labels` with such a header or without, separated by white space;
// labels are class numbers with commas, quoted and perhaps empty. Videos come in the order of the file. The
// pictures of a video must be numbered without gaps. Throws Error(data) with file:line of every bad line.
std::vector<Video> read_frame_list(const std::filesystem::path& file, std::int64_t classes);

}  // namespace kinema::charades
