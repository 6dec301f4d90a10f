#pragma once

#include <cstdint>
#include <string>

namespace kinema::media {

// A file, or a part of one that is a whole video of its own.
struct VideoPart {
  std::string path;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;  // 0: up to the end of the file
  std::string name = {};   // in messages; empty: the path

  bool whole_file() const { return offset == 0 && bytes == 0; }
  const std::string& shown() const { return name.empty() ? path : name; }
};

// What names it in caches, beside the file's size and time.
std::string key_of(const VideoPart& part);

}  // namespace kinema::media
