#include "framework/data/item_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace kinema::data {
namespace {

template <class T>
void shuffle_with(std::vector<T>& list, Random& random) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> list(count);
  std::iota(list.begin(), list.end(), 0U);
  return list;
}

}  // namespace

std::vector<EpochClip> every_clip(std::uint32_t clips) {
  std::vector<EpochClip> all(clips);
  for (std::uint32_t i = 0; i < clips; ++i) all[i].clip = i;
  return all;
}

std::vector<EpochClip> balanced_clips(std::span<const std::int64_t> labels, std::uint64_t seed,
                                      std::uint64_t epoch) {
  std::map<std::int64_t, std::vector<std::uint32_t>> by_label;
  for (std::size_t i = 0; i < labels.size(); ++i)
    by_label[labels[i]].push_back(static_cast<std::uint32_t>(i));
  std::vector<std::vector<std::uint32_t>*> classes;
  for (auto& [label, clips] : by_label) classes.push_back(&clips);
  Random random(seed, epoch, 0, "balance");
  shuffle_with(classes, random);  // the first ones have one clip more where it does not come out even
  std::vector<EpochClip> epoch_clips;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    std::vector<std::uint32_t>& own = *classes[c];
    shuffle_with(own, random);
    const std::size_t share = labels.size() / classes.size() + (c < labels.size() % classes.size() ? 1 : 0);
    for (std::size_t i = 0; i < share; ++i)
      epoch_clips.push_back({own[i % own.size()], static_cast<std::uint32_t>(i / own.size())});
  }
  return epoch_clips;
}

std::vector<EpochClip> weighted_clips(std::span<const double> weights, std::uint64_t seed,
                                      std::uint64_t epoch) {
  const std::size_t count = weights.size();
  Random random(seed, epoch, 0, "balance");
  std::vector<std::uint32_t> order = numbers(count);
  shuffle_with(order, random);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  // Marks at equal distances along the weights, laid end to end (systematic sampling): a clip is there once
  // for each mark on its stretch.
  const double first = random.uniform();
  std::vector<EpochClip> epoch_clips;
  double end = 0;
  for (const std::uint32_t clip : order) {
    end += weights[clip];
    for (std::uint32_t again = 0; epoch_clips.size() < count; ++again) {
      const double mark =
          (static_cast<double>(epoch_clips.size()) + first) * total / static_cast<double>(count);
      if (mark >= end) break;
      epoch_clips.push_back({clip, again});
    }
  }
  // Rounding may leave the last mark behind the last end.
  while (epoch_clips.size() < count)
    epoch_clips.push_back({epoch_clips.back().clip, epoch_clips.back().again + 1});
  return epoch_clips;
}

void shuffle(std::vector<EpochClip>& clips, std::uint64_t seed, std::uint64_t epoch) {
  Random random(seed, epoch, 0, "order");
  shuffle_with(clips, random);
}

std::vector<EpochClip> repeated(const std::vector<EpochClip>& clips, std::uint32_t times) {
  std::vector<EpochClip> all;
  all.reserve(clips.size() * times);
  for (const EpochClip& clip : clips)
    for (std::uint32_t i = 0; i < times; ++i) all.push_back({clip.clip, clip.again * times + i});
  return all;
}

}  // namespace kinema::data
