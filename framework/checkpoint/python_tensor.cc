#include "framework/checkpoint/python_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "framework/checkpoint/printable.h"
#include "framework/checkpoint/python_dtype.h"

namespace kinema::checkpoint {
namespace {

using Kind = PickleKind;

// A call that makes a tensor of a storage: (storage, offset, sizes, strides, ...). `dtype` and `metadata` are
// places of arguments, 0 for none.
struct Rebuild {
  std::string_view name;
  std::size_t dtype, metadata;
};
constexpr Rebuild kRebuilds[] = {{"torch._utils._rebuild_tensor", 0, 0},
                                 {"torch._utils._rebuild_tensor_v2", 0, 6},
                                 {"torch._utils._rebuild_tensor_v3", 6, 7}};

// Calls whose first argument is the tensor itself.
constexpr std::string_view kWrappers[] = {
    "torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state",
    "torch.nn.parameter.Parameter", "torch.nn.modules.module.Parameter", "torch.nn.Parameter"};

// (call, class, its arguments, state): a tensor to which Python attributes were given.
constexpr std::string_view kFromType = "torch._tensor._rebuild_from_type_v2";
constexpr std::string_view kPlainTypes[] = {"torch.Tensor", "torch.nn.parameter.Parameter"};

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

const Rebuild* find_rebuild(std::string_view name) {
  for (const Rebuild& rebuild : kRebuilds)
    if (rebuild.name == name) return &rebuild;
  return nullptr;
}

// The call that makes the tensor, and its arguments.
struct Call {
  std::string_view name;
  const PickleValue* args = nullptr;
};

std::string unwrap(const PickleValue& value, Call& out) {
  constexpr int kDeepest = 8;
  const PickleValue* at = &value;
  for (int depth = 0; depth < kDeepest; ++depth) {
    out = {callee(*at), at->kind == Kind::object ? at->items[1] : nullptr};
    if (out.name == kFromType) {
      const auto& args = out.args->items;
      if (args.size() < 3 || args[0]->kind != Kind::global || args[1]->kind != Kind::global ||
          args[2]->kind != Kind::tuple)
        return "is rebuilt from a type with bad arguments";
      if (!contains(kPlainTypes, args[1]->text))
        return "is of the tensor class " + printable(args[1]->text) + ", which is not known";
      out = {args[0]->text, args[2]};
      return {};
    }
    if (!contains(kWrappers, out.name)) return {};
    at = argument(*at, 0);
    if (at == nullptr) return "is a parameter without a tensor";
  }
  return "is wrapped too often";
}

std::optional<std::int64_t> count_of(const PickleValue& value) {
  if (value.kind != Kind::integer || value.integer < 0) return std::nullopt;
  return value.integer;
}

// A tuple of counts, also as torch.Size.
std::string read_counts(const PickleValue& value, const char* what, std::vector<std::int64_t>& out) {
  const PickleValue* tuple = callee(value) == "torch.Size" ? argument(value, 0) : &value;
  if (tuple == nullptr || tuple->kind != Kind::tuple)
    return fmt::format("has {} that are {}: expected a tuple", what, describe(value));
  if (tuple->items.size() > kMaxPythonDimensions)
    return fmt::format("has {} {}: expected at most {}", tuple->items.size(), what, kMaxPythonDimensions);
  for (const PickleValue* item : tuple->items) {
    const auto count = count_of(*item);
    if (!count) return fmt::format("has {} that are not counts of at least 0", what);
    out.push_back(*count);
  }
  return {};
}

std::string read_dtype(const PickleValue* named, PythonTensor& out) {
  if (named == nullptr) {
    const PythonDtype* dtype = find_storage_type(out.storage.type);
    if (dtype == nullptr) return "is stored as " + printable(out.storage.type) + ", which weights cannot be";
    out.dtype = dtype->torch;
    return {};
  }
  const PythonDtype* dtype = named->kind == Kind::global ? find_dtype(named->text) : nullptr;
  if (dtype == nullptr) return "has dtype " + describe(*named) + ", which weights cannot have";
  const auto bytes = static_cast<std::int64_t>(c10::elementSize(dtype->torch));
  out.dtype = dtype->torch;
  if (out.storage.item_bytes == bytes) return {};
  // Elements of an untyped storage are bytes.
  if (out.storage.item_bytes != 1) return "has a dtype that does not fit its storage";
  PythonStorage& storage = out.storage;
  if (storage.view_begin != 0) return "has a dtype that does not fit its storage";
  storage.elements /= bytes;
  storage.view_end = storage.elements;
  storage.item_bytes = bytes;
  return {};
}

std::string check_extent(PythonTensor& tensor) {
  if (tensor.sizes.size() != tensor.strides.size())
    return fmt::format("has {} sizes and {} strides", tensor.sizes.size(), tensor.strides.size());
  const bool empty = std::find(tensor.sizes.begin(), tensor.sizes.end(), 0) != tensor.sizes.end();
  std::int64_t last = 0, count = 1;
  bool overflow = false;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    std::int64_t step = 0;
    overflow |= __builtin_mul_overflow(count, tensor.sizes[i], &count);
    overflow |=
        __builtin_mul_overflow(std::max<std::int64_t>(tensor.sizes[i] - 1, 0), tensor.strides[i], &step);
    overflow |= __builtin_add_overflow(last, step, &last);
  }
  const PythonStorage& storage = tensor.storage;
  const std::int64_t room = storage.view_end - storage.view_begin;
  if (overflow || tensor.offset > room || (!empty && last >= room - tensor.offset))
    return fmt::format("reaches outside its storage {} of {} elements", printable(storage.key), room);
  if (count > room) return fmt::format("overlaps itself in its storage {}", printable(storage.key));
  tensor.offset += storage.view_begin;
  tensor.count = empty ? 0 : count;
  return {};
}

std::string read_view(const PickleValue& view, PythonStorage& out) {
  if (view.kind == Kind::none) return {};
  const auto begin =
      view.kind == Kind::tuple && view.items.size() == 3 ? count_of(*view.items[1]) : std::nullopt;
  const auto count = begin ? count_of(*view.items[2]) : std::nullopt;
  if (!count) return "has a storage with a bad view";
  if (*begin > out.elements || *count > out.elements - *begin)
    return fmt::format("has a view outside its storage {} of {} elements", printable(out.key), out.elements);
  out.view_begin = *begin;
  out.view_end = *begin + *count;
  return {};
}

}  // namespace

std::string read_storage_id(const PickleValue& persistent, PythonStorage& out) {
  if (persistent.kind != Kind::persistent) return "has " + describe(persistent) + " as its storage";
  const PickleValue& id = *persistent.items[0];
  const auto& parts = id.items;
  if (id.kind != Kind::tuple || (parts.size() != 5 && parts.size() != 6) || parts[0]->kind != Kind::text ||
      parts[0]->text != "storage" || parts[1]->kind != Kind::global || parts[2]->kind != Kind::text)
    return "has a storage id that is none: expected ('storage', type, key, location, elements)";
  const auto elements = count_of(*parts[4]);
  if (!elements) return "has a storage without a count of elements";
  out.key = parts[2]->text;
  out.type = parts[1]->text;
  out.elements = out.view_end = *elements;
  if (const PythonDtype* dtype = find_storage_type(out.type); dtype != nullptr)
    out.item_bytes = static_cast<std::int64_t>(c10::elementSize(dtype->torch));
  else if (out.type == kUntypedStorage)
    out.item_bytes = 1;
  return parts.size() == 6 ? read_view(*parts[5], out) : std::string();
}

bool is_tensor(const PickleValue& value) {
  const std::string_view name = callee(value);
  return name.starts_with("torch._utils._rebuild_") || name.starts_with("torch._tensor._rebuild_") ||
         contains(kWrappers, name);
}

std::string read_tensor(const PickleValue& value, PythonTensor& out) {
  Call call;
  if (std::string fault = unwrap(value, call); !fault.empty()) return fault;
  const Rebuild* rebuild = find_rebuild(call.name);
  if (rebuild == nullptr) {
    if (call.name.empty()) return "is " + describe(value) + ", not a tensor";
    return "is made by " + printable(call.name) + ", which only Python can call";
  }
  const auto& args = call.args->items;
  if (args.size() < std::max<std::size_t>(4, rebuild->dtype + 1))
    return fmt::format("is rebuilt from {} arguments, which are too few", args.size());
  if (std::string fault = read_storage_id(*args[0], out.storage); !fault.empty()) return fault;
  const auto offset = count_of(*args[1]);
  if (!offset) return "has an offset that is not a count of at least 0";
  out.offset = *offset;
  if (std::string fault = read_counts(*args[2], "sizes", out.sizes); !fault.empty()) return fault;
  if (std::string fault = read_counts(*args[3], "strides", out.strides); !fault.empty()) return fault;
  if (rebuild->metadata != 0 && args.size() > rebuild->metadata && !args[rebuild->metadata]->items.empty())
    return "is a lazily negated or conjugated view, which weights cannot be";
  if (std::string fault = read_dtype(rebuild->dtype != 0 ? args[rebuild->dtype] : nullptr, out);
      !fault.empty())
    return fault;
  return check_extent(out);
}

}  // namespace kinema::checkpoint
