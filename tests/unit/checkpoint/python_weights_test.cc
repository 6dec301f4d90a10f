#include "framework/checkpoint/python_weights.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include <map>

#include "framework/checkpoint/weights.h"
#include "tests/unit/checkpoint/contents.h"
#include "tests/unit/checkpoint/raw_zip.h"

namespace kinema::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

FileSystem& disk() { return real_file_system(); }

std::string golden(const std::string& name) { return std::string(KINEMA_GOLDEN_DIR) + "/checkpoint/" + name; }

std::map<std::string, at::Tensor> by_name(const PythonWeights& weights) {
  std::map<std::string, at::Tensor> out;
  for (const NamedTensor& named : weights.tensors) out[named.name] = named.tensor;
  return out;
}

std::vector<std::string> names(const std::vector<NamedTensor>& tensors) {
  std::vector<std::string> out;
  for (const NamedTensor& named : tensors) out.push_back(named.name);
  return out;
}

at::Tensor made(std::initializer_list<double> values, at::ScalarType dtype) {
  return at::tensor(at::ArrayRef<double>(values)).to(dtype);
}

// What make.py puts into weights().
void expect_golden(const PythonWeights& weights) {
  auto tensors = by_name(weights);
  ASSERT_THAT(weights.tensors, SizeIs(18));
  EXPECT_EQ(weights.tensors.front().name, "conv.weight");
  const at::Tensor counted = at::arange(24, at::kFloat).reshape({2, 3, 2, 2});
  const std::pair<const char*, at::Tensor> expected[] = {
      {"conv.weight", counted.div(8)},
      {"conv.channels_last", counted},
      {"bn.num_batches_tracked", made({7}, at::kLong).reshape({})},
      {"half", made({0.5, -3}, at::kHalf)},
      {"brain", made({0.5, -3}, at::kBFloat16)},
      {"double", made({1.0 / 3}, at::kDouble)},
      {"int8", made({-1, 2}, at::kChar)},
      {"uint8", made({255, 0}, at::kByte)},
      {"int16", made({-300}, at::kShort)},
      {"int32", made({-70000}, at::kInt)},
      {"bool", made({1, 0}, at::kBool)},
      {"transposed", at::arange(6, at::kFloat).reshape({2, 3}).t()},
      {"slice", made({4, 5, 6}, at::kFloat)},
      {"stepped", made({1, 5, 9}, at::kFloat)},
      {"tied.a", made({1.5, -2, 0.25}, at::kFloat)},
      {"tied.b", made({1.5, -2, 0.25}, at::kFloat)},
      {"empty", at::empty({0, 3}, at::kFloat)},
      {"parameter", made({9}, at::kFloat)},
  };
  for (const auto& [name, tensor] : expected) {
    ASSERT_TRUE(tensors[name].defined()) << name;
    EXPECT_EQ(tensors[name].scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(at::equal(tensors[name], tensor)) << name;
  }
  EXPECT_TRUE(tensors["conv.channels_last"].is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_THAT(tensors["transposed"].strides(), ElementsAre(1, 3));
}

TEST(python_weights, of_a_training_checkpoint_are_read_with_dtypes_and_strides) {
  const PythonWeights weights = read_python_weights(disk(), golden("model_state.pyth"));
  expect_golden(weights);
  EXPECT_EQ(weights.container, "model_state");
  EXPECT_EQ(weights.prefix, "");
}

TEST(python_weights, of_the_series_of_pickles_before_pytorch_1_6_are_read) {
  const PythonWeights weights = read_python_weights(disk(), golden("model_state_legacy.pth"));
  expect_golden(weights);
  EXPECT_EQ(weights.container, "model_state");
}

TEST(python_weights, in_pickle_protocol_4_with_the_prefix_of_a_parallel_wrapper_are_read) {
  const PythonWeights weights = read_python_weights(disk(), golden("protocol4.pth"));
  expect_golden(weights);
  EXPECT_EQ(weights.container, "state_dict");
  EXPECT_EQ(weights.prefix, "module.");
}

TEST(python_weights, that_share_a_storage_share_it_after_reading) {
  for (const char* file : {"model_state.pyth", "model_state_legacy.pth"}) {
    auto tensors = by_name(read_python_weights(disk(), golden(file)));
    EXPECT_TRUE(tensors["tied.a"].is_alias_of(tensors["tied.b"])) << file;
    EXPECT_TRUE(tensors["slice"].is_alias_of(tensors["stepped"])) << file;
    EXPECT_EQ(tensors["slice"].storage_offset(), 4);
    EXPECT_FALSE(tensors["tied.a"].is_alias_of(tensors["slice"])) << file;
    tensors["tied.a"].mul_(2);
    EXPECT_EQ(tensors["tied.b"][1].item<float>(), -4);
  }
}

TEST(python_weights, of_a_bare_state_dict_are_read) {
  const PythonWeights weights = read_python_weights(disk(), golden("bare.pth"));
  EXPECT_THAT(names(weights.tensors),
              ElementsAre("0.weight", "0.bias", "1.weight", "1.bias", "1.running_mean", "1.running_var",
                          "1.num_batches_tracked"));
  EXPECT_TRUE(at::equal(weights.tensors[0].tensor, made({0, 1}, at::kFloat).reshape({1, 2})));
  EXPECT_EQ(weights.container, "");
}

TEST(python_weights, are_found_in_nested_dicts_and_lose_both_prefixes) {
  const PythonWeights weights = read_python_weights(disk(), golden("nested.pth"));
  EXPECT_EQ(weights.container, "model/state_dict");
  EXPECT_EQ(weights.prefix, "module.model.");
  EXPECT_THAT(names(weights.tensors), ElementsAre("a.b", "c"));
}

TEST(python_weights, of_untyped_storages_are_read_and_other_entries_are_told) {
  const PythonWeights weights = read_python_weights(disk(), golden("untyped.pth"));
  auto tensors = by_name(weights);
  ASSERT_THAT(weights.tensors, SizeIs(3));
  EXPECT_EQ(tensors["uint16"].scalar_type(), at::kUInt16);
  EXPECT_EQ(*tensors["uint16"].const_data_ptr<std::uint16_t>(), 65535);
  EXPECT_EQ(tensors["float8"].scalar_type(), at::kFloat8_e4m3fn);
  EXPECT_EQ(tensors["float8"].to(at::kFloat).item<float>(), 1.5f);
  EXPECT_EQ(tensors["ints"].item<std::int64_t>(), std::int64_t{1} << 40);
  EXPECT_THAT(weights.skipped, ElementsAre("note", "nothing"));
}

TEST(python_weights, with_python_attributes_are_read_without_them) {
  EXPECT_THAT(read_python_weights(disk(), golden("attribute.pth")).tensors, SizeIs(1));
}

TEST(python_weights, are_what_load_weights_gives_for_a_pth_file) {
  for (const char* file : {"model_state.pyth", "model_state_legacy.pth"}) {
    const Weights weights = load_weights(disk(), golden(file));
    EXPECT_THAT(weights.tensors, SizeIs(18));
    EXPECT_EQ(weights.source, golden(file));
  }
}

TEST(python_weights, keep_a_prefix_that_one_name_lacks) {
  const Scratch scratch;
  const auto one = [](const std::string& name) {
    return raw::text(name) + raw::tensor(raw::storage("0", 4), 0, {4}, {1});
  };
  spit(scratch / "x.pth", raw::pth("}(" + one("module.a") + one("b") + "u"));
  const PythonWeights weights = read_python_weights(disk(), scratch / "x.pth");
  EXPECT_THAT(names(weights.tensors), ElementsAre("module.a", "b"));
  EXPECT_EQ(weights.prefix, "");
}

// PyTorch 0.2 and 0.3 cut storages out of others, and Python 2 wrote byte strings.
TEST(python_weights, of_a_view_on_a_storage_in_a_python_2_pickle_are_read) {
  const Scratch scratch;
  const std::string id =
      raw::tuple({"U\7storage", raw::global("torch.cuda", "FloatStorage"), "U\1k", "U\6cuda:0",
                  raw::integer(4), raw::tuple({"U\1v", raw::integer(1), raw::integer(3)})});
  const std::string tensor = raw::call(raw::global("torch._utils", "_rebuild_tensor"),
                                       {id + "Q", raw::integer(1), raw::counts({2}), raw::counts({1})});
  const float values[] = {0, 10, 20, 30};
  spit(scratch / "x.pt",
       raw::pickle("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") + raw::pickle(raw::integer(1001)) +
           raw::pickle(raw::dict({"U\x0dlittle_endian", "\x88"})) + raw::pickle(raw::dict({"U\1w", tensor})) +
           raw::pickle(raw::list({"U\1k"})) + raw::packed(std::int64_t{4}) + raw::packed(values));
  const PythonWeights weights = read_python_weights(disk(), scratch / "x.pt");
  ASSERT_THAT(weights.tensors, SizeIs(1));
  EXPECT_TRUE(at::equal(weights.tensors[0].tensor, made({20, 30}, at::kFloat)));
}

TEST(python_weights, of_a_file_that_is_no_state_dict_are_refused_by_what_it_is) {
  const std::pair<const char*, const char*> table[] = {
      {"module.pt", "the file holds an object of 'torch.nn.modules.container.Sequential'"},
      {"not_weights.pth", "tensor 'a' is stored as 'torch.ComplexFloatStorage', which weights cannot be"},
      {"not_weights.pth",
       "tensor 'b' is made by 'torch._utils._rebuild_sparse_tensor', which only Python can call"},
      {"README.md", "is no file of torch.save"},
  };
  for (const auto& [file, error] : table)
    EXPECT_THAT(error_of([&] { read_python_weights(disk(), golden(file)); }), HasSubstr(error)) << file;
}

}  // namespace
}  // namespace kinema::checkpoint
