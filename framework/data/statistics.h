#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/media/limits.h"
#include "kinema/dataset.h"

namespace kinema::data {

struct StatisticsOptions {
  std::int64_t pixel_frames = 256;  // drawn for mean and deviation of the channels; 0: none
  std::uint64_t seed = 1;           // of the draw
  std::int64_t threads = 0;         // 0: one a core
  media::Limits limits;
  std::function<void(std::size_t finished, std::size_t count)> progress;  // on the caller's thread
};

struct Spread {
  double least = 0, median = 0, most = 0;
};
// Of a list that is not empty; the median of an even count is the mean of the two in the middle.
Spread spread_of(std::vector<double> values);

// Of equally wide bins, the last one closed.
struct Bin {
  double begin = 0, end = 0;
  std::size_t count = 0;
};
std::vector<Bin> histogram_of(const std::vector<double>& values, std::size_t bins);

// Fractions of full scale, every frame weighing the same: ready for [clip] mean and std.
struct ChannelStatistics {
  std::array<double, 3> mean = {}, std = {};
  std::size_t frames = 0;
};

struct UnreadableFile {
  std::string name, reason;
  std::size_t items = 0;
};

// A data set in numbers. Equal for any number of threads.
struct Statistics {
  std::size_t items = 0;
  std::vector<std::string> classes;
  std::vector<std::size_t> items_of_class;  // an item of several classes counts for each
  std::vector<std::size_t> boxes_of_class;  // empty: no item has boxes
  std::size_t without_class = 0;            // items
  std::size_t files = 0;
  std::vector<UnreadableFile> unreadable;            // in the order of use; missing ones too
  std::vector<double> frames, seconds;               // of the span of each readable item
  std::map<std::pair<int, int>, std::size_t> sizes;  // files by width and height
  std::map<double, std::size_t> rates;               // files by frames a second, in thousandths
  std::optional<ChannelStatistics> channels;

  std::vector<std::string> empty_classes() const;
};

// Opens every file (its packets are looked at, not all of its frames decoded).
Statistics statistics_of(const Dataset& dataset, const StatisticsOptions& options);

}  // namespace kinema::data
