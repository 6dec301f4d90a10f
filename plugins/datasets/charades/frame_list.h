#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Private to this plugin: the lists of PySlowFast, a frame a row, and the official ones, a video a row.
namespace kinema::charades {

// Frames [begin, end) with the classes of each.
struct Run {
  std::int64_t begin = 0, end = 0;
  std::vector<std::int64_t> labels;
};

struct Video {
  std::string id;
  std::string folder, pictures;  // "46GP8", "46GP8-%06d.jpg": numbered pictures; empty: a video file
  std::int64_t first_number = 1;
  std::int64_t count = 0;  // frames
  std::vector<Run> runs;   // may overlap
  std::size_t line = 0;    // of its first row
};

// `original_vido_id video_id frame_id path labels` with such a header or without, separated by white space;
// labels are class numbers with commas, quoted and perhaps empty. Videos come in the order of the file. The
// pictures of a video must be numbered without gaps. Throws Error(data) with file:line of every bad line.
std::vector<Video> read_frame_list(const std::filesystem::path& file, std::int64_t classes);

// Charades_v1_train.csv: a header with the columns id, actions ("c092 11.90 21.20;c147 0.00 12.60", seconds)
// and length (seconds). Frames are counted at `fps`. Throws Error(data) with file:line of every bad row.
std::vector<Video> read_official(const std::filesystem::path& file, std::int64_t classes, double fps);

// The first line has the columns of an official list.
bool is_official(const std::filesystem::path& file);

}  // namespace kinema::charades
