#include "framework/checkpoint/python_save.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "framework/checkpoint/python_weights.h"
#include "tests/unit/checkpoint/contents.h"

namespace kinema::checkpoint {
namespace {

using testing::HasSubstr;

FileSystem& disk() { return real_file_system(); }

std::vector<NamedTensor> many_tensors() {
  std::vector<NamedTensor> out;
  const at::ScalarType dtypes[] = {at::kFloat,  at::kHalf,          at::kBFloat16,   at::kDouble,
                                   at::kLong,   at::kInt,           at::kShort,      at::kChar,
                                   at::kByte,   at::kBool,          at::kUInt16,     at::kUInt32,
                                   at::kUInt64, at::kFloat8_e4m3fn, at::kFloat8_e5m2};
  for (const at::ScalarType dtype : dtypes)
    out.push_back({std::string("dtype.") + at::toString(dtype), at::arange(2).reshape({1, 2}).to(dtype)});
  const at::Tensor tied = at::full({3}, 0.25);
  const at::Tensor large = at::arange(1000, at::kFloat);
  out.push_back({"tied.a", tied});
  out.push_back({"tied.b", tied});
  out.push_back({"tied.tail", tied.slice(0, 1)});
  out.push_back({"view", large.slice(0, 3, 30, 9)});
  out.push_back({"transposed", at::arange(6, at::kFloat).reshape({2, 3}).t()});
  out.push_back(
      {"channels_last",
       at::arange(24, at::kFloat).reshape({2, 3, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast)});
  out.push_back({"scalar", at::full({}, 7, at::kLong)});
  out.push_back({"empty", at::empty({0, 3})});
  out.push_back(
      {"gr\xc3\xb6\xc3\x9f"
       "e",
       at::ones({1})});
  return out;
}

const at::Tensor& named(const std::vector<NamedTensor>& tensors, const std::string& name) {
  for (const NamedTensor& one : tensors)
    if (one.name == name) return one.tensor;
  throw std::out_of_range(name);
}

// float8 has no comparison.
bool same(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  const bool small = a.element_size() == 1 && a.is_floating_point();
  return at::equal(small ? a.to(at::kFloat) : a, small ? b.to(at::kFloat) : b);
}

TEST(python_save, is_read_back_equal_in_order_with_sharing_and_strides) {
  const Scratch scratch;
  const auto tensors = many_tensors();
  save_python_weights(disk(), scratch / "x.pth", tensors);
  const PythonWeights back = read_python_weights(disk(), scratch / "x.pth");
  ASSERT_EQ(back.tensors.size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(back.tensors[i].name, tensors[i].name);
    EXPECT_TRUE(same(back.tensors[i].tensor, tensors[i].tensor)) << tensors[i].name;
  }
  EXPECT_TRUE(named(back.tensors, "tied.a").is_alias_of(named(back.tensors, "tied.tail")));
  EXPECT_EQ(named(back.tensors, "tied.tail").storage_offset(), 1);
  EXPECT_TRUE(named(back.tensors, "channels_last").is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_EQ(named(back.tensors, "view").storage().nbytes(), 3 * sizeof(float))
      << "a small view of a large storage";
}

TEST(python_save, of_the_same_tensors_gives_the_same_bytes) {
  const Scratch scratch;
  const auto first = save_python_weights(disk(), scratch / "a.pth", many_tensors());
  EXPECT_EQ(save_python_weights(disk(), scratch / "b.pth", many_tensors()), first);
  EXPECT_EQ(static_cast<std::size_t>(first.bytes), slurp(scratch / "a.pth").size());
}

TEST(python_save, of_no_tensors_is_an_empty_dict) {
  const Scratch scratch;
  save_python_weights(disk(), scratch / "x.pth", {});
  EXPECT_THAT(error_of([&] { read_python_weights(disk(), scratch / "x.pth"); }),
              HasSubstr("a dict of 0 entries"));
}

TEST(python_save, refuses_all_tensors_that_python_could_not_read) {
  const Scratch scratch;
  const std::string error = error_of([&] {
    save_python_weights(disk(), scratch / "x.pth",
                        {{"undefined", {}},
                         {"complex", at::zeros({1}, at::kComplexFloat)},
                         {"twice", at::zeros({1})},
                         {"twice", at::zeros({1})},
                         {"\xff", at::zeros({1})}});
  });
  EXPECT_THAT(error, HasSubstr("tensor 'undefined' is undefined"));
  EXPECT_THAT(error, HasSubstr("tensor 'complex' has dtype ComplexFloat"));
  EXPECT_THAT(error, HasSubstr("tensor 'twice' is given twice"));
  EXPECT_THAT(error, HasSubstr("tensor '\\xff' has a name that is not UTF-8 text"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "x.pth"));
}

constexpr const char* kCheck = R"(
import sys, torch
weights = torch.load(sys.argv[1], weights_only=True)
assert type(weights).__name__ == 'OrderedDict' and len(weights) == 24, (type(weights), len(weights))
for name in 'float32 float16 bfloat16 float64 int64 int32 int16 int8 uint8 bool uint16 uint32 uint64 float8_e4m3fn float8_e5m2'.split():
    found = [t for t in weights.values() if t.dtype == getattr(torch, name) and t.shape == (1, 2)]
    assert len(found) == 1 and found[0].to(torch.float64).tolist() == [[0, 1]], name
assert weights['tied.a'].untyped_storage().data_ptr() == weights['tied.tail'].untyped_storage().data_ptr()
assert weights['tied.tail'].storage_offset() == 1 and weights['view'].tolist() == [3, 12, 21]
assert weights['view'].untyped_storage().nbytes() == 12
assert weights['transposed'].tolist() == [[0, 3], [1, 4], [2, 5]] and not weights['transposed'].is_contiguous()
assert weights['channels_last'].is_contiguous(memory_format=torch.channels_last)
assert weights['channels_last'].flatten().tolist() == list(range(24))
assert weights['scalar'].item() == 7 and weights['empty'].shape == (0, 3) and 'größe' in weights
mapped = torch.load(sys.argv[1], weights_only=True, mmap=True)
assert all(torch.equal(mapped[k].view(torch.uint8) if mapped[k].dtype.itemsize == 1 else mapped[k], weights[k].view(torch.uint8) if mapped[k].dtype.itemsize == 1 else weights[k]) for k in weights)
import zipfile
assert zipfile.ZipFile(sys.argv[1]).testzip() is None
torch.save(weights, sys.argv[2])
)";

TEST(python_save, is_loaded_by_python_with_weights_only) {
  const char* python = std::getenv("KINEMA_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "KINEMA_PYTHON names no interpreter with torch";
  const Scratch scratch;
  save_python_weights(disk(), scratch / "x.pth", many_tensors());
  spit(scratch / "check.py", kCheck);
  const std::string command = std::string(python) + " " + (scratch / "check.py") + " " + (scratch / "x.pth") +
                              " " + (scratch / "back.pth") + " 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const auto tensors = many_tensors();
  const PythonWeights back = read_python_weights(disk(), scratch / "back.pth");
  ASSERT_EQ(back.tensors.size(), tensors.size());
  for (const NamedTensor& one : tensors)
    EXPECT_TRUE(same(named(back.tensors, one.name), one.tensor)) << one.name;
}

}  // namespace
}  // namespace kinema::checkpoint
