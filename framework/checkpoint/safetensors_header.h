#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::checkpoint {

struct TensorEntry {
  std::string name;
  std::string dtype;  // "F32"
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0, end = 0;  // bytes, from the end of the header
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // in the order of their data
  std::map<std::string, std::string> metadata;
};

// Limits of kinema besides the format's own 100 MB of header: they bound what a hostile header can cost.
constexpr std::int64_t kMaxHeaderBytes = 100'000'000;
constexpr std::int64_t kMaxTensors = 100'000;
constexpr std::size_t kMaxNameBytes = 4096;
constexpr std::size_t kMaxMetadataBytes = 16 << 20;
constexpr std::size_t kMaxDimensions = 64;

// Bytes of one element; 0: unknown dtype.
std::int64_t dtype_bytes(std::string_view dtype);

// Parses and checks a header: strict JSON of exactly the format's shape, no duplicate key, known dtypes,
// sizes without overflow, tensors that cover `data_bytes` bytes without gap or overlap. Throws Error(data)
// naming `where` at the first fault: what follows it could not be trusted. Time is linear in the text.
SafetensorsHeader parse_safetensors_header(std::string_view text, std::int64_t data_bytes,
                                           const std::string& where);

// The inverse: compact JSON, padded with spaces to a multiple of 8 bytes. Throws Error(data) when a name or a
// metadata string is not UTF-8.
std::string render_safetensors_header(const SafetensorsHeader& header, const std::string& where);

}  // namespace kinema::checkpoint
