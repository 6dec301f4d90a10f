#include "framework/checkpoint/python_dtype.h"

#include <algorithm>
#include <iterator>

namespace kinema::checkpoint {
namespace {

constexpr PythonDtype kDtypes[] = {{at::kFloat, "float32", "FloatStorage"},
                                   {at::kHalf, "float16", "HalfStorage"},
                                   {at::kBFloat16, "bfloat16", "BFloat16Storage"},
                                   {at::kDouble, "float64", "DoubleStorage"},
                                   {at::kLong, "int64", "LongStorage"},
                                   {at::kInt, "int32", "IntStorage"},
                                   {at::kShort, "int16", "ShortStorage"},
                                   {at::kChar, "int8", "CharStorage"},
                                   {at::kByte, "uint8", "ByteStorage"},
                                   {at::kBool, "bool", "BoolStorage"},
                                   {at::kUInt16, "uint16", nullptr},
                                   {at::kUInt32, "uint32", nullptr},
                                   {at::kUInt64, "uint64", nullptr},
                                   {at::kFloat8_e4m3fn, "float8_e4m3fn", nullptr},
                                   {at::kFloat8_e5m2, "float8_e5m2", nullptr}};

template <class Matches>
const PythonDtype* find(Matches matches) {
  const auto* found = std::find_if(std::begin(kDtypes), std::end(kDtypes), matches);
  return found != std::end(kDtypes) ? found : nullptr;
}

bool skip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

const PythonDtype* find_dtype(at::ScalarType dtype) {
  return find([&](const PythonDtype& known) { return known.torch == dtype; });
}

const PythonDtype* find_dtype(std::string_view name) {
  if (!skip(name, "torch.")) return nullptr;
  return find([&](const PythonDtype& known) { return name == known.name; });
}

const PythonDtype* find_storage_type(std::string_view storage) {
  if (!skip(storage, "torch.cuda.") && !skip(storage, "torch.")) return nullptr;
  return find([&](const PythonDtype& known) { return known.storage != nullptr && storage == known.storage; });
}

}  // namespace kinema::checkpoint
