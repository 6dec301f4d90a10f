// Files that are shaped like checkpoints and are none: each is refused with its reason.
#include <gmock/gmock.h>

#include <limits>

#include "framework/checkpoint/python_weights.h"
#include "tests/unit/checkpoint/contents.h"
#include "tests/unit/checkpoint/raw_zip.h"

namespace kinema::checkpoint {
namespace {

using raw::dict;
using raw::integer;
using raw::pickle;
using raw::pth;
using raw::storage;
using raw::tensor;
using raw::text;
using raw::zip;
using testing::HasSubstr;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

std::string weights_error(const std::string& bytes) {
  const Scratch scratch;
  spit(scratch / "x.pth", bytes);
  return error_of([&] { read_python_weights(real_file_system(), scratch / "x.pth"); });
}

struct Hostile {
  const char* name;
  std::string bytes;
  const char* error;
};

// Storage "0" holds 16 bytes, four floats.
std::string one(const std::string& value) { return pth(dict({text("w"), value})); }
std::string window(std::int64_t offset, std::initializer_list<std::int64_t> sizes,
                   std::initializer_list<std::int64_t> strides) {
  return one(tensor(storage("0", 4), offset, sizes, strides));
}

std::vector<Hostile> hostile_windows() {
  return {
      {"past the end", window(0, {5}, {1}), "tensor 'w' reaches outside its storage '0' of 4 elements"},
      {"offset", window(4, {1}, {1}), "reaches outside"},
      {"far offset", window(kHuge, {1}, {1}), "reaches outside"},
      {"offset of nothing", window(5, {0}, {1}), "reaches outside"},
      {"stride", window(0, {2, 2}, {3, 1}), "reaches outside"},
      {"huge size", window(0, {kHuge}, {1}), "reaches outside"},
      {"overflowing sizes", window(0, {kHuge, kHuge, 4}, {0, 0, 1}), "reaches outside"},
      {"overflowing stride", window(0, {3}, {kHuge}), "reaches outside"},
      {"expanded", window(0, {1'000'000'000}, {0}), "overlaps itself in its storage '0'"},
      {"negative size", window(0, {-1}, {1}), "has sizes that are not counts"},
      {"negative stride", window(0, {2}, {-1}), "has strides that are not counts"},
      {"negative offset", window(-1, {1}, {1}), "has an offset that is not a count"},
      {"sizes and strides", window(0, {1, 1}, {1}), "has 2 sizes and 1 strides"},
      {"dimensions",
       one(raw::call(raw::kV2,
                     {storage("0", 4), integer(0), "(" + std::string(200, 'N') + "t", raw::counts({1})})),
       "has 200 sizes: expected at most 64"},
      {"sizes as text", one(raw::call(raw::kV2, {storage("0", 4), integer(0), text("4"), raw::counts({1})})),
       "has sizes that are a string"},
      {"few arguments", one(raw::call(raw::kV2, {storage("0", 4)})), "rebuilt from 1 arguments"},
      {"negated view",
       one(raw::call(raw::kV2, {storage("0", 4), integer(0), raw::counts({1}), raw::counts({1}), "\x89",
                                raw::kHooks, dict({text("neg"), "\x88"})})),
       "lazily negated"},
  };
}

std::string stored(const std::string& id) { return one(tensor(id, 0, {1}, {1})); }

std::vector<Hostile> hostile_storages() {
  using raw::global;
  using raw::tuple;
  return {
      {"missing", stored(storage("7", 4)), "is in the storage '7', which is missing"},
      {"path", stored(storage("../../x", 4)), "is in the storage '../../x', which is missing"},
      {"claims more", stored(storage("0", 5)), "'0' of 5 elements, but the file holds 16 bytes of it"},
      {"overflow", stored(storage("0", kHuge)), "but the file holds 16 bytes"},
      {"all of a huge one", one(tensor(storage("0", kHuge), 0, {kHuge}, {1})), "but the file holds 16 bytes"},
      {"negative", stored(storage("0", -4)), "has a storage without a count of elements"},
      {"unknown type", stored(storage("0", 4, "QInt8Storage")), "is stored as 'torch.QInt8Storage'"},
      {"no id", stored("NQ"), "has a storage id that is none"},
      {"no storage", stored("N"), "has None as its storage"},
      {"module id", stored(tuple({text("module"), "N", "N", "N", "N"}) + "Q"),
       "has a storage id that is none"},
      {"bad view",
       stored(tuple({text("storage"), global("torch", "FloatStorage"), text("0"), text("cpu"), integer(4),
                     "K\x01"}) +
              "Q"),
       "has a storage with a bad view"},
      {"view outside",
       stored(tuple({text("storage"), global("torch", "FloatStorage"), text("0"), text("cpu"), integer(4),
                     tuple({text("v"), integer(3), integer(2)})}) +
              "Q"),
       "has a view outside its storage"},
      {"bool of other bytes",
       pth(dict({text("w"), tensor(storage("0", 16, "BoolStorage"), 0, {1}, {1})}), std::string(16, '\2')),
       "tensor 'w': expected 0 or 1 in a bool"},
  };
}

std::vector<Hostile> hostile_objects() {
  using raw::global;
  const std::string good = tensor(storage("0", 4), 0, {4}, {1});
  const std::string system = raw::call(global("os", "system"), {text("true")});
  std::string wrapped = good;
  for (int i = 0; i < 20; ++i) wrapped = raw::call(global("torch._utils", "_rebuild_parameter"), {wrapped});
  return {
      {"a call", pth(system), "the file holds an object of 'os.system'"},
      {"a call as a weight", pth(dict({text("a"), good, text("w"), system})),
       "tensor 'w' is made by 'os.system'"},
      {"another class", pth(dict({text("a"), good, text("w"), raw::call(global("a", "B"), {})})),
       "tensor 'w' is made by 'a.B', which only Python can call"},
      {"call of a call", pth(dict({text("a"), good, text("w"), system + ")R"})),
       "is an object, not a tensor"},
      {"class of tensors",
       one(raw::call(global("torch._tensor", "_rebuild_from_type_v2"),
                     {raw::kV2, global("my", "Tensor"), raw::tuple({}), "N"})),
       "is of the tensor class 'my.Tensor', which is not known"},
      {"wrapped often", one(wrapped), "is wrapped too often"},
      {"empty parameter", one(raw::call(global("torch._utils", "_rebuild_parameter"), {})),
       "is a parameter without a tensor"},
      {"number as a name", pth(dict({"K\x01", good})), "name of a tensor is an integer"},
      {"empty name", pth(dict({text(""), good})), "name of a tensor is empty"},
      {"name not in UTF-8", pth(dict({text("\xff"), good})), "'\\xff' is not UTF-8"},
      {"long name", pth(dict({text(std::string(5000, 'n')), good})), "is too long: expected at most 4096"},
      {"twice", pth(dict({text("w"), good, text("w"), good})), "tensor 'w' comes twice"},
      {"nothing", pth("N"), "the file holds None"},
      {"a list", pth(raw::list({good})), "the file holds a list of 1"},
      {"no tensors", pth(dict({text("epoch"), integer(1)})), "a dict of 1 entries: 'epoch' (an integer)"},
      {"empty state dict", pth(dict({text("state_dict"), "}"})), "'state_dict' holds a dict of 0 entries"},
      {"module in the container", pth(dict({text("model"), raw::call(global("a", "Net"), {})})),
       "'model' holds an object of 'a.Net'"},
      {"dict in itself", pth("}q\x01" + text("model") + "h\x01s"), "no weights"},
      {"deep lists", pth(std::string(100'000, ']') + std::string(99'999, 'a')), "the file holds a list of 1"},
      {"opcode", pth("\x82\x01"), "data.pkl: pickle opcode ? at byte 2"},
      {"after the pickle", pth("N.N"), "bytes after the pickle in data.pkl"},
  };
}

std::vector<Hostile> hostile_archives() {
  const std::string body = pickle("N");
  return {
      {"no pickle", zip({{"a", "1"}}),
       "is a zip archive, but not of torch.save: expected NAME/data.pkl, got none"},
      {"pickle at the top", zip({{"data.pkl", body}}), "got none"},
      {"pickle too deep", zip({{"a/b/data.pkl", body}}), "got none"},
      {"two pickles", zip({{"a/data.pkl", body}, {"b/data.pkl", body}}), "holds 2 saved objects"},
      {"torchscript", zip({{"a/data.pkl", body}, {"a/code/x.py", "deflated", 8}}),
       "is a TorchScript archive, a program"},
      {"torchscript constants", zip({{"a/data.pkl", body}, {"a/constants.pkl", body}}),
       "is a TorchScript archive"},
      {"compressed pickle", zip({{"a/data.pkl", body, 8}}), "record 'a/data.pkl' is compressed"},
      {"big endian", zip({{"a/data.pkl", body}, {"a/byteorder", "big"}}), "expected little, got 'big'"},
      {"long byte order", zip({{"a/data.pkl", body}, {"a/byteorder", std::string(100, 'l')}}),
       "is too large"},
      {"newer", zip({{"a/data.pkl", body}, {"a/version", "11\n"}}), "expected 1 to 10, got 11"},
      {"version of words", zip({{"a/data.pkl", body}, {"a/version", "three"}}),
       "record 'version' is no number"},
      {"version of many digits", zip({{"a/data.pkl", body}, {"a/version", std::string(30, '9')}}),
       "is no number"},
      {"tar", std::string(257, 'a') + "ustar" + std::string(500, '\0'), "is a tar file of PyTorch 0.1"},
  };
}

const std::string kMagic = pickle("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19");
const std::string kHead = kMagic + pickle(integer(1001)) + pickle(dict({text("little_endian"), "\x88"}));
const std::string kObject = pickle(dict({text("w"), tensor(storage("k", 2), 0, {2}, {1})}));
const std::string kKeys = pickle(raw::list({text("k")}));
std::string counted(std::int64_t count) { return raw::packed(count) + "12345678"; }

std::vector<Hostile> hostile_series() {
  const std::string unknown = pickle(dict({text("w"), tensor(storage("k", 2, "XStorage"), 0, {2}, {1})}));
  return {
      {"another pickle", pickle("N"), "is a pickle, but not of torch.save: got None"},
      {"caffe2", pickle(dict({text("blobs"), "}"})), "Caffe2 blobs"},
      {"protocol", kMagic + pickle(integer(1002)), "protocol version is not known: expected 1001"},
      {"big endian", kMagic + pickle(integer(1001)) + pickle(dict({text("little_endian"), "\x89"})),
       "byte order"},
      {"no system", kMagic + pickle(integer(1001)) + pickle("N"), "byte order"},
      {"only a head", kHead, "object: cut off at byte 0"},
      {"no keys", kHead + kObject, "storage keys: cut off"},
      {"keys of a dict", kHead + kObject + pickle("}"), "expected the list of storage keys, got a dict"},
      {"unknown key", kHead + kObject + pickle(raw::list({text("z")})), "has no storage of the key 'z'"},
      {"key twice", kHead + kObject + pickle(raw::list({text("k"), text("k")})) + counted(2) + counted(2),
       "'k' comes twice"},
      {"no count", kHead + kObject + kKeys, "storage 'k' is cut off"},
      {"cut", kHead + kObject + kKeys + counted(2).substr(0, 12),
       "'k' is cut off: expected 2 elements, got 4 bytes"},
      {"other count", kHead + kObject + kKeys + counted(3), "has 3 elements, but the pickle says 2"},
      {"negative count", kHead + kObject + kKeys + counted(-2), "has -2 elements"},
      {"unknown type", kHead + unknown + kKeys + counted(2), "is of the type 'torch.XStorage'"},
      {"more", kHead + kObject + kKeys + counted(2) + "x", "1 bytes after the last storage"},
      {"missing storage", kHead + kObject + pickle("]"), "is in the storage 'k', which is missing"},
  };
}

void expect_refused(const std::vector<Hostile>& table) {
  for (const Hostile& hostile : table)
    EXPECT_THAT(weights_error(hostile.bytes), HasSubstr(hostile.error)) << hostile.name;
}

TEST(hostile_python_weights, with_a_window_outside_its_storage_are_refused) {
  expect_refused(hostile_windows());
}
TEST(hostile_python_weights, with_a_bad_storage_are_refused) { expect_refused(hostile_storages()); }
TEST(hostile_python_weights, with_other_objects_are_refused_by_name) { expect_refused(hostile_objects()); }
TEST(hostile_python_weights, in_other_archives_are_refused_by_name) { expect_refused(hostile_archives()); }
TEST(hostile_python_weights, in_a_damaged_series_of_pickles_are_refused) { expect_refused(hostile_series()); }

TEST(hostile_python_weights, the_harmless_form_of_each_is_accepted) {
  EXPECT_EQ(weights_error(window(0, {2, 2}, {2, 1})), "");
  EXPECT_EQ(weights_error(window(4, {0}, {1})), "");
  EXPECT_EQ(weights_error(kHead + kObject + kKeys + counted(2)), "");
}

TEST(hostile_python_weights, that_share_one_storage_a_thousand_times_are_refused) {
  const std::string large(1 << 20, '\0');
  std::string body = "}(";
  for (int i = 0; i < 200; ++i)
    body += text(std::to_string(i)) + tensor(storage("0", 1 << 18), 0, {1 << 18}, {1});
  EXPECT_THAT(weights_error(pth(body + "u", large)), HasSubstr("tensors share storages too often"));
}

TEST(hostile_python_weights, with_every_fault_name_the_first_twenty) {
  std::string body = "}(";
  for (int i = 0; i < 50; ++i) body += text(std::to_string(i)) + tensor(storage("0", 4), 9, {1}, {1});
  const std::string error = weights_error(pth(body + "u"));
  EXPECT_THAT(error, HasSubstr("tensor '19' reaches outside"));
  EXPECT_THAT(error, testing::Not(HasSubstr("tensor '20'")));
}

}  // namespace
}  // namespace kinema::checkpoint
