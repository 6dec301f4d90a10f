#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/checkpoint/pickle_value.h"

namespace kinema::checkpoint {

constexpr std::size_t kMaxPythonDimensions = 64;

// What a pickle's persistent id says: ('storage', type, key, location, elements[, view]).
struct PythonStorage {
  std::string_view key;  // borrowed from the pickle
  std::string_view type;
  std::int64_t elements = 0;
  std::int64_t item_bytes = 0;                // 0: of a type that weights cannot have
  std::int64_t view_begin = 0, view_end = 0;  // elements; old files cut storages out of others
};

// A tensor as Python pickles it: a window on a storage.
struct PythonTensor {
  PythonStorage storage;
  at::ScalarType dtype = at::ScalarType::Undefined;
  std::int64_t offset = 0;  // in elements of the whole storage, the view added
  std::vector<std::int64_t> sizes, strides;
  std::int64_t count = 0;  // elements
};

// Each of the two returns what is wrong, or "". All numbers are checked: a tensor lies inside its view, that
// inside its storage, and holds no more elements than it. Whether the file holds the storage is the caller's
// part.
std::string read_storage_id(const PickleValue& persistent, PythonStorage& out);
std::string read_tensor(const PickleValue& value, PythonTensor& out);

// True for the calls that make tensors, readable or not, parameters included.
bool is_tensor(const PickleValue& value);

}  // namespace kinema::checkpoint
