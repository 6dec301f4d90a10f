#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kinema::annotations {

// Numbered pictures in one folder.
struct PictureRow {
  std::string pictures;           // "img_%05d.jpg"
  std::int64_t first_number = 0;  // the smallest
  std::int64_t count = 0;         // without a gap from there on
  std::int64_t gone = 0;          // pictures after the first gap: nobody reads them
};

// Looks into a folder for pictures that `pattern` names ("img_%05d.jpg"; %% is a percent sign). An empty
// pattern: pictures that are named alike and end in a number, the largest group of them (of equals the first
// by byte order), those apart that one of the patterns `others` names. Nothing when there are none, and for a
// pattern without one %d. Throws Error(data) for a folder that cannot be read.
std::optional<PictureRow> look_for_pictures(const std::filesystem::path& folder,
                                            const std::string& pattern = {},
                                            const std::vector<std::string>& others = {});

// True of "img_%05d.jpg", of which there can be files.
bool names_one_number(const std::string& pattern);

// "{id}_%06d.jpg" -> "78687_%06d.jpg"
std::string with_id(std::string pattern, const std::string& id);

}  // namespace kinema::annotations
