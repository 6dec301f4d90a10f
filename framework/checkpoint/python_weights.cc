#include "framework/checkpoint/python_weights.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/set.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "framework/checkpoint/json_scanner.h"
#include "framework/checkpoint/printable.h"
#include "framework/checkpoint/python_file.h"
#include "framework/checkpoint/python_tensor.h"
#include "framework/checkpoint/safetensors_header.h"
#include "framework/checkpoint/state_dict.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

using Kind = PickleKind;

constexpr std::size_t kMaxProblems = 20;

struct Entry {
  std::string name;
  PythonTensor tensor;
};

struct Entries {
  std::vector<Entry> tensors;
  std::vector<std::string> skipped;
};

bool may_skip(const PickleValue& value) {
  return value.kind != Kind::object && value.kind != Kind::persistent;
}

std::string name_fault(const PickleValue& key) {
  if (key.kind != Kind::text) return "is " + describe(key) + ": expected a string";
  if (key.text.empty()) return "is empty";
  if (key.text.size() > kMaxNameBytes)
    return fmt::format("is too long: expected at most {} bytes", kMaxNameBytes);
  if (utf8_fault(key.text) != key.text.size()) return printable(key.text) + " is not UTF-8";
  return {};
}

Entries read_entries(const PickleValue& dict, const std::string& where) {
  Entries out;
  if (dict.items.size() / 2 > static_cast<std::size_t>(kMaxTensors))
    throw Error(
        ErrorKind::data, where,
        fmt::format("too many tensors: expected at most {}, got {}", kMaxTensors, dict.items.size() / 2));
  std::vector<Problem> problems;
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < dict.items.size() && problems.size() < kMaxProblems; i += 2) {
    const PickleValue &key = *dict.items[i], &value = *dict.items[i + 1];
    const auto problem = [&](const std::string& what) { problems.push_back({where, what}); };
    if (const std::string fault = name_fault(key); !fault.empty()) {
      problem("name of a tensor " + fault);
    } else if (may_skip(value)) {
      out.skipped.emplace_back(key.text);
    } else if (!names.insert(key.text).second) {
      problem("tensor " + printable(key.text) + " comes twice");
    } else {
      Entry entry{std::string(key.text), {}};
      const std::string fault = read_tensor(value, entry.tensor);
      if (!fault.empty()) problem("tensor " + printable(key.text) + " " + fault);
      out.tensors.push_back(std::move(entry));
    }
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return out;
}

// Tensors may share storages, but whoever copies them must not need many times the file.
void check_total(const Entries& entries, const FileReader& file) {
  constexpr std::int64_t kMostTimes = 16;
  constexpr std::int64_t kSmall = 64 << 20;
  std::int64_t total = 0;
  for (const Entry& entry : entries.tensors) {
    total += entry.tensor.count * static_cast<std::int64_t>(c10::elementSize(entry.tensor.dtype));
    if (total / kMostTimes > file.bytes() + kSmall / kMostTimes)
      throw Error(
          ErrorKind::data, file.path(),
          fmt::format("tensors share storages too often: expected at most {} times the file's {} bytes",
                      kMostTimes, file.bytes()));
  }
}

using Storages = std::unordered_map<std::string_view, at::Tensor>;

// Any other byte in a bool is undefined behaviour in whoever computes with it.
void check_bools(const Entry& entry, const at::Tensor& bytes, const std::string& where) {
  if (entry.tensor.dtype != at::kBool) return;
  const auto* begin = static_cast<const unsigned char*>(bytes.const_data_ptr());
  if (std::any_of(begin, begin + bytes.numel(), [](unsigned char b) { return b > 1; }))
    throw Error(ErrorKind::data, where,
                "tensor " + printable(entry.name) + ": expected 0 or 1 in a bool, got another byte");
}

std::string place_fault(const PythonStorage& storage, const PythonFile& python) {
  const auto place = python.storages.find(storage.key);
  if (place == python.storages.end())
    return "is in the storage " + printable(storage.key) + ", which is missing";
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(storage.elements, storage.item_bytes, &bytes) || bytes > place->second.bytes)
    return fmt::format("is in the storage {} of {} elements, but the file holds {} bytes of it",
                       printable(storage.key), storage.elements, place->second.bytes);
  return {};
}

void check_places(const Entries& entries, const PythonFile& python, const std::string& where) {
  std::vector<Problem> problems;
  for (const Entry& entry : entries.tensors) {
    if (problems.size() >= kMaxProblems) break;
    const std::string fault = place_fault(entry.tensor.storage, python);
    if (!fault.empty()) problems.push_back({where, "tensor " + printable(entry.name) + " " + fault});
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
}

// The whole storage, read when first asked for.
const at::Tensor& storage_bytes(const PythonStorage& storage, const PythonFile& python,
                                const FileReader& file, Storages& storages) {
  const auto [found, fresh] = storages.try_emplace(storage.key);
  if (fresh) {
    const FilePart& place = python.storages.find(storage.key)->second;
    found->second = at::empty({place.bytes}, at::TensorOptions().dtype(at::kByte));
    read_checked(file, place, found->second.mutable_data_ptr(), "storage " + printable(storage.key));
  }
  return found->second;
}

std::vector<NamedTensor> load(const Entries& entries, const PythonFile& python, const FileReader& file) {
  Storages storages;
  std::vector<NamedTensor> out;
  std::unordered_set<std::string_view> checked;
  for (const Entry& entry : entries.tensors) {
    const PythonTensor& tensor = entry.tensor;
    const at::Tensor& bytes = storage_bytes(tensor.storage, python, file, storages);
    if (tensor.dtype == at::kBool && checked.insert(tensor.storage.key).second)
      check_bools(entry, bytes, file.path());
    at::Tensor view = at::empty({0}, at::TensorOptions().dtype(tensor.dtype));
    view.set_(bytes.storage(), tensor.offset, tensor.sizes, tensor.strides);
    out.push_back({entry.name, std::move(view)});
  }
  return out;
}

}  // namespace

PythonWeights read_python_weights(FileSystem& system, const std::string& path) {
  const FileReader file(system, path);
  const PythonFile python = open_python_file(file);
  const StateDict dict = find_state_dict(*python.tree.root, path);
  Entries entries = read_entries(*dict.value, path);
  check_places(entries, python, path);
  check_total(entries, file);
  PythonWeights out;
  out.tensors = load(entries, python, file);
  out.container = dict.container;
  out.prefix = cut_prefixes(out.tensors);
  out.skipped = std::move(entries.skipped);
  return out;
}

}  // namespace kinema::checkpoint
