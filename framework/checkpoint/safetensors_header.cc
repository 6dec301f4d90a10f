#include "framework/checkpoint/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "framework/checkpoint/json_scanner.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

struct DtypeSize {
  std::string_view name;
  std::int64_t bytes;
};
constexpr DtypeSize kDtypes[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1},
                                 {"U16", 2},  {"I16", 2}, {"F16", 2}, {"BF16", 2},    {"U32", 4},
                                 {"I32", 4},  {"F32", 4}, {"U64", 8}, {"I64", 8},     {"F64", 8}};

std::string known_dtypes() {
  std::string names;
  for (const DtypeSize& known : kDtypes) names += (names.empty() ? "" : ", ") + std::string(known.name);
  return names;
}

std::vector<std::int64_t> scan_integers(JsonScanner& scanner, std::size_t limit, const char* too_many) {
  std::vector<std::int64_t> values;
  scanner.expect('[');
  if (scanner.accept(']')) return values;
  do {
    if (values.size() == limit)
      scanner.fail(fmt::format("{}: expected at most {}, got more", too_many, limit));
    values.push_back(scanner.unsigned_integer());
  } while (scanner.accept(','));
  scanner.expect(']');
  return values;
}

std::map<std::string, std::string> scan_metadata(JsonScanner& scanner) {
  std::map<std::string, std::string> metadata;
  std::size_t bytes = 0;
  scanner.expect('{');
  if (scanner.accept('}')) return metadata;
  do {
    std::string key = scanner.string(kMaxMetadataBytes);
    scanner.expect(':');
    if (!scanner.next_is('"'))
      scanner.fail("metadata '" + key + "' is not a string: expected text, got another value");
    std::string value = scanner.string(kMaxMetadataBytes);
    bytes += key.size() + value.size() + 64;
    if (bytes > kMaxMetadataBytes)
      scanner.fail(
          fmt::format("metadata is too large: expected at most {} bytes, got {}", kMaxMetadataBytes, bytes));
    if (!metadata.emplace(key, std::move(value)).second)
      scanner.fail("duplicate metadata key '" + key + "': expected it once, got it again");
  } while (scanner.accept(','));
  scanner.expect('}');
  return metadata;
}

TensorEntry scan_tensor(JsonScanner& scanner, std::string name) {
  TensorEntry entry;
  entry.name = std::move(name);
  bool dtype = false, shape = false, offsets = false;
  const auto once = [&](bool& seen, const std::string& key) {
    if (std::exchange(seen, true))
      scanner.fail("tensor '" + entry.name + "': duplicate key '" + key +
                   "': expected it once, got it again");
  };
  scanner.expect('{');
  do {
    const std::string key = scanner.string(kMaxNameBytes);
    scanner.expect(':');
    if (key == "dtype") {
      once(dtype, key);
      entry.dtype = scanner.string(kMaxNameBytes);
    } else if (key == "shape") {
      once(shape, key);
      entry.shape = scan_integers(scanner, kMaxDimensions, "too many dimensions");
    } else if (key == "data_offsets") {
      once(offsets, key);
      const auto pair = scan_integers(scanner, 2, "too many data offsets");
      if (pair.size() != 2)
        scanner.fail(fmt::format("tensor '{}': expected two data offsets, got {}", entry.name, pair.size()));
      entry.begin = pair[0];
      entry.end = pair[1];
    } else {
      scanner.fail("tensor '" + entry.name + "': unknown key: expected dtype, shape and data_offsets, got '" +
                   key + "'");
    }
  } while (scanner.accept(','));
  scanner.expect('}');
  for (const auto& [seen, key] : {std::pair{dtype, "dtype"}, {shape, "shape"}, {offsets, "data_offsets"}})
    if (!seen) scanner.fail("tensor '" + entry.name + "': missing key '" + key + "': expected it, got none");
  return entry;
}

void check_size(const TensorEntry& entry, std::int64_t data_bytes, const std::string& where) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorKind::data, where, "tensor '" + entry.name + "': " + what);
  };
  const std::int64_t item = dtype_bytes(entry.dtype);
  if (item == 0)
    fail("unknown dtype '" + entry.dtype + "': expected one of " + known_dtypes() + ", got another");
  std::int64_t bytes = item, extent = item;
  bool overflow = false;
  for (const std::int64_t size : entry.shape) {
    // Strides are products without the zeros: they must fit as well.
    overflow |= __builtin_mul_overflow(extent, std::max<std::int64_t>(size, 1), &extent);
    overflow |= __builtin_mul_overflow(bytes, size, &bytes);
  }
  if (overflow)
    fail(fmt::format("size overflows 63 bits: expected a shape that fits into memory, got [{}]",
                     fmt::join(entry.shape, ", ")));
  if (entry.begin > entry.end)
    fail(fmt::format("data offsets run backwards: expected an end of at least {}, got {}", entry.begin,
                     entry.end));
  if (entry.end > data_bytes)
    fail(fmt::format("data is outside the file: expected an end of at most {}, got {}", data_bytes,
                     entry.end));
  if (entry.end - entry.begin != bytes)
    fail(fmt::format("wrong data size: expected {} bytes for its dtype and shape, got {}", bytes,
                     entry.end - entry.begin));
}

void check_unique(const std::vector<TensorEntry>& entries, const std::string& where) {
  std::vector<std::string_view> names;
  for (const TensorEntry& entry : entries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw Error(ErrorKind::data, where,
                "duplicate tensor name '" + std::string(*twice) + "': expected each name once, got it again");
}

void check_cover(const std::vector<TensorEntry>& entries, std::int64_t data_bytes, const std::string& where) {
  std::int64_t at = 0;
  for (const TensorEntry& entry : entries) {
    if (entry.begin != at)
      throw Error(ErrorKind::data, where,
                  fmt::format("tensor '{}': {}: expected its data at {}, got {}", entry.name,
                              entry.begin < at ? "data overlaps another tensor's" : "data leaves a gap", at,
                              entry.begin));
    at = entry.end;
  }
  if (at != data_bytes)
    throw Error(
        ErrorKind::data, where,
        fmt::format("bytes after the last tensor: expected {} bytes of data, got {}", at, data_bytes));
}

}  // namespace

std::int64_t dtype_bytes(std::string_view dtype) {
  for (const DtypeSize& known : kDtypes)
    if (known.name == dtype) return known.bytes;
  return 0;
}

SafetensorsHeader parse_safetensors_header(std::string_view text, std::int64_t data_bytes,
                                           const std::string& where) {
  SafetensorsHeader header;
  JsonScanner scanner(text, where);
  bool metadata = false;
  if (text.empty() || text.front() != '{')
    scanner.fail("not a safetensors header: expected '{', got something else");
  scanner.expect('{');
  if (!scanner.accept('}')) {
    do {
      std::string name = scanner.string(kMaxNameBytes);
      scanner.expect(':');
      if (name == "__metadata__") {
        if (std::exchange(metadata, true))
          scanner.fail("duplicate key '__metadata__': expected it once, got it again");
        header.metadata = scan_metadata(scanner);
        continue;
      }
      if (static_cast<std::int64_t>(header.tensors.size()) == kMaxTensors)
        scanner.fail(fmt::format("too many tensors: expected at most {}, got more", kMaxTensors));
      header.tensors.push_back(scan_tensor(scanner, std::move(name)));
    } while (scanner.accept(','));
    scanner.expect('}');
  }
  scanner.end();
  for (const TensorEntry& entry : header.tensors) check_size(entry, data_bytes, where);
  check_unique(header.tensors, where);
  std::stable_sort(header.tensors.begin(), header.tensors.end(),
                   [](const TensorEntry& a, const TensorEntry& b) {
                     return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
                   });
  check_cover(header.tensors, data_bytes, where);
  return header;
}

std::string render_safetensors_header(const SafetensorsHeader& header, const std::string& where) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (!header.metadata.empty()) json["__metadata__"] = header.metadata;
  for (const TensorEntry& entry : header.tensors)
    json[entry.name] = {
        {"dtype", entry.dtype}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  std::string text;
  try {
    text = json.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::data, where, "bad tensor name or metadata: expected UTF-8, got other bytes");
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

}  // namespace kinema::checkpoint
