#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kinema/dataset.h"

namespace kinema::data {

class ShardSet;

// What is known about a data set before a video is opened.
struct DataReport {
  std::size_t items = 0;
  std::vector<std::size_t> items_of_class;  // by label
  std::size_t missing = 0;                  // items with a source that does not exist
  std::vector<std::string> missing_files;   // their paths
  std::vector<std::string> warnings;        // lines for the log
};

// Looks at every item and at the existence of its files, without opening any; `name` ("data.train") is for
// the messages. A video that is in the shards need not exist. Throws Error(data) for an empty data set,
// labels beyond the classes, repeated class names, items that the data set cannot give, and when no file
// exists at all.
DataReport inspect(const Dataset& dataset, const std::string& name, const ShardSet* shards = nullptr);

// Whether its items are key frames with boxes.
bool detects(const Dataset& dataset);

// What is wrong with a target among so many classes; empty: nothing.
std::string misfit(const Target& target, std::int64_t classes);

// Throws Error(data) that shows both lists unless they are equal, order included.
void check_classes_agree(const std::vector<std::string>& train, const std::vector<std::string>& eval,
                         const std::string& train_name = "data.train",
                         const std::string& eval_name = "data.val");

// Throws Error(data) with the first names when more than `max_fraction` of the items miss a file: a run would
// stop later for the same reason.
void check_missing(const DataReport& report, const std::string& name, double max_fraction);

}  // namespace kinema::data
