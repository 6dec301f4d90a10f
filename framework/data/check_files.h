#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/data/file_list.h"
#include "framework/media/examine.h"
#include "kinema/dataset.h"

namespace kinema::data {

struct CheckOptions {
  media::Depth depth = media::Depth::everything;
  std::int64_t threads = 0;  // 0: one a core
  media::Limits limits;
  std::function<void(std::size_t finished, std::size_t count)> progress;  // on the caller's thread
};

enum class SourceKind { video, picture, pictures, own_pixels };
const char* name_of(SourceKind kind);

// A file, or a row of numbered pictures, and what was found out about it.
struct CheckedFile {
  std::string name;
  SourceKind kind = SourceKind::video;
  std::size_t items = 0;  // of the data sets that use it
  media::Examination found;
};

// An item that cannot be used: a file of it is not usable, or its span is beyond the end.
struct BadItem {
  std::string split;
  std::size_t index = 0;
  std::string key, reason;
  bool of_file = false;  // the reason is that of a file
};

// A data set with the name of its section.
struct Split {
  std::string name;  // "train"
  std::shared_ptr<const Dataset> items;
};

struct SplitCount {
  std::string name;
  std::size_t items = 0, unusable = 0;
};

struct CheckReport {
  std::vector<CheckedFile> files;  // in the order of the names given, whatever the threads
  std::vector<BadItem> items;
  std::vector<SplitCount> splits;

  std::size_t usable() const;
  std::size_t with_faults() const;  // of the usable ones
  bool all_good() const { return usable() == files.size() && items.empty(); }
  // How often a file is refused for what ("not a video", "empty file"), a fault is found.
  std::map<std::string, std::size_t> reasons() const, faults() const;
};

CheckReport check_files(const std::vector<NamedFile>& files, const CheckOptions& options);
// Every source of every item, each file once; in the order of the items.
CheckReport check_splits(const std::vector<Split>& splits, const CheckOptions& options);

}  // namespace kinema::data
