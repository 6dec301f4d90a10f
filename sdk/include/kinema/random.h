#pragma once

#include <cstdint>
#include <string_view>

namespace kinema {

// Counter-based randomness: a stream is a pure function of (seed, epoch, sample index, purpose), never of a
// worker, a rank or the time, so that any number of workers draws the same numbers and a resumed run needs no
// state. The generator is SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
// generators").
class Random {
 public:
  explicit constexpr Random(std::uint64_t state) : state_(state) {}
  constexpr Random(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index, std::string_view purpose)
      : state_(mix(mix(mix(mix(seed + kGolden) ^ epoch) ^ index) ^ hash(purpose))) {}

  // 64 random bits.
  constexpr std::uint64_t bits() { return mix(state_ += kGolden); }
  // Uniform in [0, 1), 53 bits.
  constexpr double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  // Uniform in [low, high).
  constexpr double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // Uniform integer in [0, count); 0 when count is 0 or 1. Unbiased to 2^-64 (multiply-shift).
  constexpr std::uint64_t below(std::uint64_t count) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits()) * count) >> 64);
  }
  // True with the given probability.
  constexpr bool chance(double probability) { return uniform() < probability; }

  // FNV-1a, 64 bits.
  static constexpr std::uint64_t hash(std::string_view text) {
    std::uint64_t value = 0xcbf29ce484222325u;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return value;
  }
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
  std::uint64_t state_;
};

}  // namespace kinema
