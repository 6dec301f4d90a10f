#pragma once

#include <c10/core/ScalarType.h>

#include <string_view>

namespace kinema::checkpoint {

// A dtype that weights may have, by the names Python pickles: most have a storage class of their own, the
// newer ones share torch.storage.UntypedStorage and say their dtype beside it.
struct PythonDtype {
  at::ScalarType torch;
  const char* name;     // of torch.NAME
  const char* storage;  // of torch.NAME; null: untyped
};

inline constexpr std::string_view kUntypedStorage = "torch.storage.UntypedStorage";

// Null when weights cannot have it: complex and quantised ones, and whatever is not known.
const PythonDtype* find_dtype(at::ScalarType dtype);
const PythonDtype* find_dtype(std::string_view name);            // "torch.float32"
const PythonDtype* find_storage_type(std::string_view storage);  // "torch.FloatStorage", also torch.cuda's

}  // namespace kinema::checkpoint
