#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Private to this plugin: which items of a data set are kept.
namespace kinema::subset {

// What is looked at of an item.
struct Card {
  std::string key;
  std::int64_t group = -1;  // its class; of several the rarest; -1: none
  double length = 0;        // frames or seconds of its span; 0: not known
};

// round(fraction * count) indices, at least 1, chosen by hash of seed and key. Ascending, as are all below.
std::vector<std::size_t> random_share(const std::vector<Card>& cards, double fraction, std::int64_t seed);
// The same of each class.
std::vector<std::size_t> share_of_each(const std::vector<Card>& cards, double fraction, std::int64_t seed);
// Up to `count` of each class, chosen by hash.
std::vector<std::size_t> count_of_each(const std::vector<Card>& cards, std::int64_t count, std::int64_t seed);
// Of each class, ordered by length, evenly spaced ones: the lengths of the share are those of the whole.
// Items of equal length are in the order of their hashes.
std::vector<std::size_t> representative(const std::vector<Card>& cards, double fraction, std::int64_t seed);

}  // namespace kinema::subset
