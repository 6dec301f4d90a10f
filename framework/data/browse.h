#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "framework/data/clip_source.h"

namespace kinema::data {

struct BrowseOptions {
  std::size_t items = 4;                // spread evenly over the data set
  std::uint64_t epoch = 0;              // of the augmentation
  bool stages = false;                  // a picture after each step, not of the last one alone
  std::vector<std::string> step_names;  // of the recipe's transforms; a step without a name is its number
  std::filesystem::path output;
};

struct BrowseReport {
  std::vector<std::filesystem::path> files;  // written, the most interesting first
  std::vector<std::string> unreadable;       // "key: reason" of items that are left out
};

// Writes pictures of clips as training or evaluation sees them: final.png, a row an item and its frames from
// left to right (up to eight), boxes outlined, item, classes and key below; item_<index>.gif, each clip
// moving; legend.tsv, what is drawn where. With stages also 0_decoded.png (whole frames), 1_geometry.png
// (cropped, resized, mirrored) and one picture for each transform that changes pixels. Throws Error(run) for
// a folder that takes no files.
BrowseReport browse(const std::shared_ptr<const ClipRecipe>& recipe, const BrowseOptions& options);

}  // namespace kinema::data
