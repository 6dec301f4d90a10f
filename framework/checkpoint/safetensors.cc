#include "framework/checkpoint/safetensors.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

constexpr std::int64_t kPrefixBytes = 8;  // the header's length, little endian

struct DtypePair {
  at::ScalarType torch;
  const char* name;
};
constexpr DtypePair kDtypes[] = {{at::kBool, "BOOL"},
                                 {at::kByte, "U8"},
                                 {at::kChar, "I8"},
                                 {at::kUInt16, "U16"},
                                 {at::kShort, "I16"},
                                 {at::kUInt32, "U32"},
                                 {at::kInt, "I32"},
                                 {at::kUInt64, "U64"},
                                 {at::kLong, "I64"},
                                 {at::kHalf, "F16"},
                                 {at::kBFloat16, "BF16"},
                                 {at::kFloat, "F32"},
                                 {at::kDouble, "F64"},
                                 {at::kFloat8_e4m3fn, "F8_E4M3"},
                                 {at::kFloat8_e5m2, "F8_E5M2"}};

const char* dtype_name(at::ScalarType dtype) {
  for (const DtypePair& pair : kDtypes)
    if (pair.torch == dtype) return pair.name;
  return nullptr;
}

at::ScalarType torch_dtype(const std::string& name) {
  for (const DtypePair& pair : kDtypes)
    if (name == pair.name) return pair.torch;
  return at::ScalarType::Undefined;
}

// Indices of the tensors in file order; throws with every tensor that cannot be written.
std::vector<std::size_t> file_order(const std::vector<NamedTensor>& tensors, const std::string& where) {
  std::vector<Problem> problems;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    std::string what;
    if (!tensor.defined())
      what = "expected values, got an undefined tensor";
    else if (dtype_name(tensor.scalar_type()) == nullptr)
      what = fmt::format("expected a dtype that safetensors has, got {}", at::toString(tensor.scalar_type()));
    else if (tensor.layout() != at::kStrided)
      what = "expected a dense tensor, got a sparse one";
    else if (name == "__metadata__")
      what = "expected another name, got the one that safetensors keeps for itself";
    else if (name.size() > kMaxNameBytes)
      what = fmt::format("expected a name of at most {} bytes, got {}", kMaxNameBytes, name.size());
    if (!what.empty()) problems.push_back({where, "tensor '" + name + "': " + what, {}, {}});
    order.push_back(i);
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      return -static_cast<std::int64_t>(tensors[i].tensor.element_size());
    };
    return key(a) != key(b) ? key(a) < key(b) : tensors[a].name < tensors[b].name;
  });
  return order;
}

void check_names(const std::vector<NamedTensor>& tensors, const std::string& where) {
  std::vector<std::string> names;
  for (const NamedTensor& named : tensors) names.push_back(named.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw Error(ErrorKind::data, where, "tensor '" + *twice + "': expected each name once, got it twice");
}

SafetensorsHeader describe(const std::vector<NamedTensor>& tensors, const std::vector<std::size_t>& order) {
  SafetensorsHeader header;
  std::int64_t at = 0;
  for (const std::size_t i : order) {
    const at::Tensor& tensor = tensors[i].tensor;
    const std::int64_t end = at + tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
    header.tensors.push_back(
        {tensors[i].name, dtype_name(tensor.scalar_type()), tensor.sizes().vec(), at, end});
    at = end;
  }
  return header;
}

// Any other byte in a bool is undefined behaviour in whoever computes with it.
void check_bools(const at::Tensor& tensor, const TensorEntry& entry, const std::string& where) {
  if (entry.dtype != "BOOL") return;
  const auto* bytes = static_cast<const unsigned char*>(tensor.const_data_ptr());
  const auto* end = bytes + tensor.numel();
  if (std::any_of(bytes, end, [](unsigned char b) { return b > 1; }))
    throw Error(ErrorKind::data, where,
                "tensor '" + entry.name + "': expected 0 or 1 in a BOOL, got another byte");
}

SafetensorsHeader read_header(const FileReader& reader, std::int64_t& data_begin) {
  const auto fail = [&](const std::string& what) { throw Error(ErrorKind::data, reader.path(), what); };
  if (reader.bytes() < kPrefixBytes)
    fail(fmt::format("file is too short: expected at least 8 bytes, got {}", reader.bytes()));
  std::uint64_t length = 0;
  reader.read_at(0, &length, sizeof length);
  if (length > static_cast<std::uint64_t>(kMaxHeaderBytes))
    fail(fmt::format("header is too long: expected at most {} bytes, got {}", kMaxHeaderBytes, length));
  if (length > static_cast<std::uint64_t>(reader.bytes() - kPrefixBytes))
    fail(fmt::format("header is cut off: expected {} bytes, got {}", length, reader.bytes() - kPrefixBytes));
  std::string text(length, '\0');
  reader.read_at(kPrefixBytes, text.data(), text.size());
  data_begin = kPrefixBytes + static_cast<std::int64_t>(length);
  return parse_safetensors_header(text, reader.bytes() - data_begin, reader.path());
}

}  // namespace

FileFacts write_safetensors(FileSystem& system, const std::string& path,
                            const std::vector<NamedTensor>& tensors,
                            const std::map<std::string, std::string>& metadata) {
  const std::vector<std::size_t> order = file_order(tensors, path);
  check_names(tensors, path);
  SafetensorsHeader header = describe(tensors, order);
  header.metadata = metadata;
  const std::string text = render_safetensors_header(header, path);
  const std::uint64_t length = text.size();

  FileWriter writer(system, path);
  writer.append(&length, sizeof length);
  writer.append(text);
  for (const std::size_t i : order) {
    const at::Tensor host = tensors[i].tensor.detach().to(at::kCPU).resolve_neg().contiguous();
    writer.append(host.const_data_ptr(), host.nbytes());
  }
  return writer.finish();
}

Safetensors read_safetensors(FileSystem& system, const std::string& path) {
  const FileReader reader(system, path);
  std::int64_t data_begin = 0;
  SafetensorsHeader header = read_header(reader, data_begin);
  Safetensors out;
  out.metadata = std::move(header.metadata);
  out.tensors.reserve(header.tensors.size());
  for (const TensorEntry& entry : header.tensors) {
    at::Tensor tensor = at::empty(entry.shape, at::TensorOptions().dtype(torch_dtype(entry.dtype)));
    reader.read_at(data_begin + entry.begin, tensor.mutable_data_ptr(),
                   static_cast<std::size_t>(entry.end - entry.begin));
    check_bools(tensor, entry, path);
    out.tensors.push_back({entry.name, std::move(tensor)});
  }
  return out;
}

SafetensorsHeader read_safetensors_header(FileSystem& system, const std::string& path) {
  const FileReader reader(system, path);
  std::int64_t data_begin = 0;
  return read_header(reader, data_begin);
}

}  // namespace kinema::checkpoint
