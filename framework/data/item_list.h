#pragma once

#include <filesystem>
#include <string>

#include "kinema/dataset.h"
#include "kinema/value.h"

namespace kinema::data {

// Items as a text that the data set `list` reads back as the same items.
struct ItemList {
  std::string csv;      // with a header line
  std::string classes;  // the class names as JSON: any name survives
  std::filesystem::path root;
  Value options;  // of the data set: all but `list` and `classes_file`, type first
};

// `root` is where the paths start when all files lie there, else the deepest folder that holds them all.
// Throws Error(data) with what a list cannot say: boxes, several sources an item, own pixels, key frames,
// soft labels, frames here and seconds there, names with line ends.
ItemList list_of_items(const Dataset& items, const std::filesystem::path& root = {});

// The deepest folder that holds all files of the items; empty without a file.
std::filesystem::path common_folder(const Dataset& items);

}  // namespace kinema::data
