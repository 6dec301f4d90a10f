#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

// The numbers that the golden files were computed from: a hash of a key and a row-major index, so that any
// program can rebuild weights and inputs of any size.
namespace kinema::test {

inline std::uint64_t formula_hash(std::string_view key) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : key) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

// In [0, 1), exact in float.
inline double formula_unit(std::uint64_t hash, std::uint64_t index) {
  std::uint64_t z = hash + index + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return static_cast<double>(z >> 40) / 16777216.0;
}

// offset + scale * (2u - 1) for `count` elements.
inline std::vector<float> formula_values(std::string_view key, std::size_t count, double scale = 1,
                                         double offset = 0) {
  const std::uint64_t hash = formula_hash(key);
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(offset + (2 * formula_unit(hash, i) - 1) * scale);
  return values;
}

// The scale of a convolution's or linear layer's weight of this many inputs per output.
inline double formula_weight_scale(double fan_in) { return std::sqrt(3.0 / fan_in); }

}  // namespace kinema::test
