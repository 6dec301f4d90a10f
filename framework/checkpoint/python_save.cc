#include "framework/checkpoint/python_save.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/set.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "framework/checkpoint/json_scanner.h"
#include "framework/checkpoint/pickle_writer.h"
#include "framework/checkpoint/printable.h"
#include "framework/checkpoint/python_dtype.h"
#include "framework/checkpoint/zip_writer.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

std::string fault_of(const NamedTensor& named) {
  if (named.name.empty() || utf8_fault(named.name) != named.name.size())
    return "has a name that is not UTF-8 text";
  if (!named.tensor.defined()) return "is undefined";
  if (named.tensor.layout() != at::kStrided) return "is sparse: expected a dense tensor";
  if (find_dtype(named.tensor.scalar_type()) == nullptr)
    return fmt::format("has dtype {}, which weights cannot have", at::toString(named.tensor.scalar_type()));
  return {};
}

void check(const std::vector<NamedTensor>& tensors, const std::string& where) {
  std::vector<Problem> problems;
  std::set<std::string_view> names;
  for (const NamedTensor& named : tensors) {
    std::string fault = fault_of(named);
    if (fault.empty() && !names.insert(named.name).second) fault = "is given twice";
    if (!fault.empty()) problems.push_back({where, "tensor " + printable(named.name) + " " + fault});
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
}

// The storages of the file: of each the tensor it is made of, and whether that is copied or its storage
// written as it is.
struct Plan {
  struct Storage {
    at::Tensor tensor;
    bool whole = false;
  };
  std::vector<Storage> storages;
  std::vector<std::size_t> storage_of;  // by tensor
};

Plan make_plan(const std::vector<NamedTensor>& tensors) {
  std::map<const void*, std::size_t> used;  // bytes by storage
  for (const NamedTensor& named : tensors)
    used[named.tensor.storage().unsafeGetStorageImpl()] += named.tensor.nbytes();
  Plan plan;
  std::map<std::pair<const void*, at::ScalarType>, std::size_t> shared;
  for (const auto& [name, tensor] : tensors) {
    const void* storage = tensor.storage().unsafeGetStorageImpl();
    const bool whole =
        !tensor.is_neg() && !tensor.is_conj() && used[storage] >= tensor.storage().nbytes() / 2;
    const auto next = plan.storages.size();
    // Python refuses one storage under two dtypes.
    const auto index = whole ? shared.try_emplace({storage, tensor.scalar_type()}, next).first->second : next;
    if (index == next) plan.storages.push_back({tensor, whole});
    plan.storage_of.push_back(index);
  }
  return plan;
}

// ('storage', type, key, 'cpu', elements); of an untyped storage the elements are bytes.
void write_storage_id(PickleWriter& pickle, const Plan::Storage& storage, std::size_t key) {
  const PythonDtype& dtype = *find_dtype(storage.tensor.scalar_type());
  const auto bytes =
      static_cast<std::int64_t>(storage.whole ? storage.tensor.storage().nbytes() : storage.tensor.nbytes());
  pickle.mark();
  pickle.string("storage");
  if (dtype.storage != nullptr)
    pickle.global("torch", dtype.storage);
  else
    pickle.global("torch.storage", "UntypedStorage");
  pickle.string(std::to_string(key));
  pickle.string("cpu");
  pickle.integer(dtype.storage != nullptr ? bytes / static_cast<std::int64_t>(storage.tensor.element_size())
                                          : bytes);
  pickle.tuple();
  pickle.persistent();
}

std::vector<std::int64_t> contiguous_strides(at::IntArrayRef sizes) {
  std::vector<std::int64_t> strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i > 1; --i)
    strides[i - 2] = strides[i - 1] * std::max<std::int64_t>(sizes[i - 1], 1);
  return strides;
}

void write_tensor(PickleWriter& pickle, const at::Tensor& tensor, const Plan::Storage& storage,
                  std::size_t key) {
  const PythonDtype& dtype = *find_dtype(tensor.scalar_type());
  const bool typed = dtype.storage != nullptr;
  pickle.global("torch._utils", typed ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
  pickle.mark();
  write_storage_id(pickle, storage, key);
  pickle.integer(storage.whole ? tensor.storage_offset() : 0);
  pickle.integers(tensor.sizes());
  pickle.integers(storage.whole ? tensor.strides().vec() : contiguous_strides(tensor.sizes()));
  pickle.boolean(false);                        // requires_grad
  pickle.global("collections", "OrderedDict");  // hooks
  pickle.empty_tuple();
  pickle.call();
  if (!typed) pickle.global("torch", dtype.name);
  pickle.tuple();
  pickle.call();
}

std::string write_pickle(const std::vector<NamedTensor>& tensors, const Plan& plan) {
  PickleWriter pickle;
  pickle.global("collections", "OrderedDict");
  pickle.empty_tuple();
  pickle.call();
  pickle.mark();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::size_t key = plan.storage_of[i];
    pickle.string(tensors[i].name);
    write_tensor(pickle, tensors[i].tensor, plan.storages[key], key);
  }
  pickle.set_items();
  return pickle.finish();
}

at::Tensor on_cpu(const Plan::Storage& storage) {
  const at::Tensor tensor = storage.tensor.detach();
  if (!storage.whole) return tensor.to(at::kCPU).resolve_conj().resolve_neg().contiguous();
  at::Tensor bytes = at::empty({0}, tensor.options().dtype(at::kByte));
  bytes.set_(tensor.storage());
  return bytes.to(at::kCPU);
}

}  // namespace

FileFacts save_python_weights(FileSystem& system, const std::string& path,
                              const std::vector<NamedTensor>& tensors) {
  check(tensors, path);
  const Plan plan = make_plan(tensors);
  FileWriter file(system, path);
  ZipWriter zip(file);
  const std::string folder = "archive/";
  zip.add(folder + "data.pkl", write_pickle(tensors, plan));
  zip.add(folder + "byteorder", "little");
  for (std::size_t i = 0; i < plan.storages.size(); ++i) {
    const at::Tensor bytes = on_cpu(plan.storages[i]);
    zip.add(folder + "data/" + std::to_string(i), bytes.const_data_ptr(), bytes.nbytes());
  }
  zip.add(folder + "version", "3\n");
  zip.finish();
  return file.finish();
}

}  // namespace kinema::checkpoint
