#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/config/experiment.h"
#include "kinema/random.h"

// Which clips an epoch has, and in which order: functions of (seed, epoch) alone.
namespace kinema::data {

// A clip of an epoch: its number, item x clips_per_video + draw, and how often the epoch had it before. Equal
// ones differ in their random numbers.
struct EpochClip {
  std::uint32_t clip = 0;
  std::uint32_t again = 0;
  bool operator==(const EpochClip&) const = default;
};

// All clips, once each.
std::vector<EpochClip> every_clip(std::uint32_t clips);

// As many clips as there are, every class that occurs as often as the others, within one. A class's own clips
// take turns: within one, each is there as often as any other of the class. `labels` are those of the clips.
std::vector<EpochClip> balanced_clips(std::span<const std::int64_t> labels, std::uint64_t seed,
                                      std::uint64_t epoch);

// As many clips as there are, clip i clips * weight_i / sum of weights times, rounded up or down at random.
// Weights are finite, none below 0 and one above.
std::vector<EpochClip> weighted_clips(std::span<const double> weights, std::uint64_t seed,
                                      std::uint64_t epoch);

// Fisher and Yates.
void shuffle(std::vector<EpochClip>& clips, std::uint64_t seed, std::uint64_t epoch);

// Each clip `times` times in a row.
std::vector<EpochClip> repeated(const std::vector<EpochClip>& clips, std::uint32_t times);

}  // namespace kinema::data
