#include "framework/checkpoint/safetensors.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <cstring>

#include "tests/unit/checkpoint/contents.h"

namespace kinema::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

FileSystem& disk() { return real_file_system(); }

std::string file_of(const std::string& header, const std::string& data, std::int64_t length = -1) {
  const std::uint64_t n = length < 0 ? header.size() : static_cast<std::uint64_t>(length);
  return std::string(reinterpret_cast<const char*>(&n), 8) + header + data;
}

std::string read_error(const std::string& bytes) {
  Scratch scratch;
  spit(scratch / "x.safetensors", bytes);
  return error_of([&] { read_safetensors(disk(), scratch / "x.safetensors"); });
}

TEST(safetensors, every_dtype_and_shape_comes_back_exactly) {
  Scratch scratch;
  std::vector<NamedTensor> tensors;
  for (const at::ScalarType dtype : {at::kBool, at::kByte, at::kChar, at::kShort, at::kInt, at::kLong,
                                     at::kHalf, at::kBFloat16, at::kFloat, at::kDouble, at::kUInt16,
                                     at::kUInt32, at::kUInt64, at::kFloat8_e4m3fn, at::kFloat8_e5m2}) {
    const std::string name = at::toString(dtype);
    tensors.push_back({name, at::arange(6).remainder(2).reshape({2, 3}).to(dtype)});
    tensors.push_back({name + ".scalar", at::full({}, 1).to(dtype)});
    tensors.push_back({name + ".empty", at::zeros({0, 3}).to(dtype)});
  }
  write_safetensors(disk(), scratch / "x", tensors, {{"a", "b"}, {"quote", "\"\n\xc3\xa4"}});
  const Safetensors back = read_safetensors(disk(), scratch / "x");
  EXPECT_EQ(back.metadata.at("quote"), "\"\n\xc3\xa4");
  ASSERT_THAT(back.tensors, SizeIs(tensors.size()));
  for (const NamedTensor& expected : tensors) {
    const auto got = std::find_if(back.tensors.begin(), back.tensors.end(),
                                  [&](const NamedTensor& t) { return t.name == expected.name; });
    ASSERT_NE(got, back.tensors.end()) << expected.name;
    EXPECT_EQ(got->tensor.scalar_type(), expected.tensor.scalar_type());
    EXPECT_EQ(got->tensor.sizes(), expected.tensor.sizes());
    EXPECT_EQ(
        std::memcmp(got->tensor.const_data_ptr(), expected.tensor.const_data_ptr(), expected.tensor.nbytes()),
        0)
        << expected.name;
  }
}

TEST(safetensors, a_strided_view_is_written_row_major) {
  Scratch scratch;
  const at::Tensor view = at::arange(6).reshape({2, 3}).t();
  write_safetensors(disk(), scratch / "x", {{"view", view}});
  EXPECT_TRUE(at::equal(read_safetensors(disk(), scratch / "x").tensors[0].tensor, view));
}

TEST(safetensors, bytes_of_a_file_are_as_the_format_says) {
  Scratch scratch;
  write_safetensors(disk(), scratch / "x",
                    {{"b", at::full({2}, 1).to(at::kByte)}, {"a", at::full({}, 1).to(at::kFloat)}});
  const std::string header =
      R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}})";
  std::string padded = header;
  padded.append((8 - padded.size() % 8) % 8, ' ');
  EXPECT_EQ(slurp(scratch / "x"), file_of(padded, std::string("\0\0\x80\x3f\1\1", 6)));
}

TEST(safetensors, header_alone_can_be_read) {
  Scratch scratch;
  write_safetensors(disk(), scratch / "x", {{"a", at::zeros({2, 3})}}, {{"k", "v"}});
  const SafetensorsHeader header = read_safetensors_header(disk(), scratch / "x");
  ASSERT_THAT(header.tensors, SizeIs(1));
  EXPECT_EQ(header.tensors[0].dtype, "F32");
  EXPECT_THAT(header.tensors[0].shape, ElementsAre(2, 3));
  EXPECT_EQ(header.metadata.at("k"), "v");
}

TEST(safetensors, an_empty_file_of_no_tensors_is_valid) {
  Scratch scratch;
  write_safetensors(disk(), scratch / "x", {});
  EXPECT_TRUE(read_safetensors(disk(), scratch / "x").tensors.empty());
}

TEST(safetensors, what_cannot_be_written_is_refused_by_name) {
  Scratch scratch;
  EXPECT_THAT(
      error_of([&] {
        write_safetensors(disk(), scratch / "x",
                          {{"a", at::Tensor()}, {"b", at::zeros({1}).to(at::kComplexFloat)}});
      }),
      testing::AllOf(HasSubstr("tensor 'a': expected values, got an undefined tensor"),
                     HasSubstr("tensor 'b': expected a dtype that safetensors has, got ComplexFloat")));
  EXPECT_THAT(error_of([&] {
                write_safetensors(disk(), scratch / "x", {{"a", at::zeros({1})}, {"a", at::zeros({1})}});
              }),
              HasSubstr("tensor 'a': expected each name once, got it twice"));
  EXPECT_THAT(error_of([&] {
                write_safetensors(disk(), scratch / "x", {{"\xff", at::zeros({1})}});
              }),
              HasSubstr("bad tensor name or metadata: expected UTF-8, got other bytes"));
}

struct Hostile {
  const char* name;
  std::string bytes;
  const char* error;
};

// A header with one tensor entry, given as text.
std::string one(const std::string& entry, const std::string& data = std::string(4, '\0')) {
  return file_of("{\"a\":" + entry + "}", data);
}

std::vector<Hostile> hostile_files() {
  const std::string good = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  const std::string zeros4(4, '\0'), zeros8(8, '\0');
  const auto meta = [&](const std::string& m) {
    return file_of("{\"__metadata__\":" + m + ",\"a\":" + good + "}", zeros4);
  };
  return {
      {"empty", "", "file is too short: expected at least 8 bytes, got 0"},
      {"seven_bytes", "1234567", "file is too short: expected at least 8 bytes, got 7"},
      {"huge_length", file_of("{}", "", 100'000'001),
       "header is too long: expected at most 100000000 bytes, got 100000001"},
      {"max_length", file_of("{}", "", 0x7fffffffffffffff), "header is too long"},
      {"cut_header", file_of("{}", "", 3), "header is cut off: expected 3 bytes, got 2"},
      {"no_header", file_of("", ""), "not a safetensors header: expected '{'"},
      {"array", file_of("[]", ""), "not a safetensors header: expected '{'"},
      {"leading_space", file_of(" {}", ""), "not a safetensors header: expected '{'"},
      {"not_utf8", file_of("{\"\xff\":1}", ""), "text is not UTF-8: expected UTF-8, got 0xff at byte 2"},
      {"overlong_utf8", file_of("{\"\xc0\xaf\":1}", ""), "text is not UTF-8"},
      {"surrogate_utf8", file_of("{\"\xed\xa0\x80\":1}", ""), "text is not UTF-8"},
      {"unfinished", file_of("{", ""), "malformed JSON: expected '\"', got the end"},
      {"unfinished_string", file_of("{\"a", ""), "malformed JSON: unfinished string"},
      {"trailing_comma", file_of("{\"a\":" + good + ",}", zeros4), "malformed JSON: expected '\"', got '}'"},
      {"second_document", file_of("{}{}", ""), "malformed JSON: expected the end, got '{'"},
      {"nul_after", file_of(std::string("{}\0", 3), ""), "malformed JSON: expected the end, got byte 0x00"},
      {"control", file_of("{\"a\nb\":1}", ""), "malformed JSON: control character in a string"},
      {"bad_escape", file_of("{\"\\x\":1}", ""), "malformed JSON: unknown escape"},
      {"bad_hex", file_of("{\"\\u12g4\":1}", ""), "malformed JSON: expected four hex digits"},
      {"lone_surrogate", file_of("{\"\\ud800\":1}", ""), "malformed JSON: unpaired surrogate"},
      {"long_name", file_of("{\"" + std::string(5000, 'n') + "\":1}", ""),
       "string is too long: expected at most 4096 bytes"},
      {"entry_is_number", one("1"), "malformed JSON: expected '{', got '1'"},
      {"deep", file_of("{\"a\":" + std::string(100000, '{'), ""), "malformed JSON: expected '\"', got '{'"},
      {"deep_array", one(R"({"shape":)" + std::string(100000, '[')),
       "malformed number: expected an integer of at least 0"},
      {"unknown_key", one(R"({"dtype":"F32","stride":[1]})"),
       "tensor 'a': unknown key: expected dtype, shape and data_offsets, got 'stride'"},
      {"key_twice", one(R"({"dtype":"F32","dtype":"F32"})"), "tensor 'a': duplicate key 'dtype'"},
      {"no_dtype", one(R"({"shape":[1],"data_offsets":[0,4]})"), "tensor 'a': missing key 'dtype'"},
      {"no_shape", one(R"({"dtype":"F32","data_offsets":[0,4]})"), "tensor 'a': missing key 'shape'"},
      {"no_offsets", one(R"({"dtype":"F32","shape":[1]})"), "tensor 'a': missing key 'data_offsets'"},
      {"unknown_dtype", one(R"({"dtype":"F99","shape":[1],"data_offsets":[0,4]})"),
       "tensor 'a': unknown dtype 'F99'"},
      {"negative", one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})"),
       "malformed number: expected an integer of at least 0"},
      {"fraction", one(R"({"dtype":"F32","shape":[1.0],"data_offsets":[0,4]})"),
       "malformed number: expected an integer of at least 0"},
      {"exponent", one(R"({"dtype":"F32","shape":[1e0],"data_offsets":[0,4]})"),
       "malformed number: expected an integer of at least 0"},
      {"leading_zero", one(R"({"dtype":"F32","shape":[01],"data_offsets":[0,4]})"),
       "malformed number: leading zero"},
      {"big_number", one(R"({"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,4]})"),
       "number is too large: expected at most 63 bits"},
      {"overflow", one(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]})"),
       "tensor 'a': size overflows 63 bits"},
      {"overflow_behind_zero",
       one(R"({"dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0]})"),
       "tensor 'a': size overflows 63 bits"},
      {"many_dimensions",
       one(R"({"dtype":"F32","shape":[1)" +
           [] {
             std::string s;
             for (int i = 0; i < 64; ++i) s += ",1";
             return s;
           }() +
           R"(],"data_offsets":[0,4]})"),
       "too many dimensions: expected at most 64"},
      {"one_offset", one(R"({"dtype":"F32","shape":[1],"data_offsets":[0]})"),
       "tensor 'a': expected two data offsets"},
      {"three_offsets", one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4,4]})"),
       "too many data offsets: expected at most 2"},
      {"backwards", one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})"),
       "tensor 'a': data offsets run backwards: expected an end of at least 4, got 0"},
      {"outside", one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"),
       "tensor 'a': data is outside the file: expected an end of at most 4, got 8"},
      {"wrong_size", one(R"({"dtype":"F64","shape":[1],"data_offsets":[0,4]})"),
       "tensor 'a': wrong data size: expected 8 bytes for its dtype and shape, got 4"},
      {"name_twice", file_of("{\"a\":" + good + ",\"a\":" + good + "}", zeros4), "duplicate tensor name 'a'"},
      {"name_twice_escaped", file_of("{\"a\":" + good + ",\"\\u0061\":" + good + "}", zeros4),
       "duplicate tensor name 'a'"},
      {"overlap", file_of("{\"a\":" + good + ",\"b\":" + good + "}", zeros4),
       "tensor 'b': data overlaps another tensor's: expected its data at 4, got 0"},
      {"gap", one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})", zeros8),
       "tensor 'a': data leaves a gap: expected its data at 0, got 4"},
      {"polyglot", one(good, zeros8), "bytes after the last tensor: expected 4 bytes of data, got 8"},
      {"data_without_tensors", file_of("{}", "x"),
       "bytes after the last tensor: expected 0 bytes of data, got 1"},
      {"metadata_twice", file_of(R"({"__metadata__":{},"__metadata__":{}})", ""),
       "duplicate key '__metadata__'"},
      {"metadata_number", meta(R"({"k":1})"), "metadata 'k' is not a string: expected text"},
      {"metadata_nested", meta(R"({"k":{}})"), "metadata 'k' is not a string: expected text"},
      {"metadata_array", meta("[]"), "malformed JSON: expected '{', got '['"},
      {"metadata_key_twice", meta(R"({"k":"1","k":"2"})"), "duplicate metadata key 'k'"},
      {"metadata_huge", meta("{\"k\":\"" + std::string(17 << 20, 'x') + "\"}"),
       "string is too long: expected at most 16777216 bytes"},
      {"bool_of_two", one(R"({"dtype":"BOOL","shape":[1],"data_offsets":[0,1]})", "\2"),
       "tensor 'a': expected 0 or 1 in a BOOL, got another byte"},
  };
}

class hostile_safetensors : public testing::TestWithParam<Hostile> {};

TEST_P(hostile_safetensors, is_refused_with_its_own_error) {
  EXPECT_THAT(read_error(GetParam().bytes), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(each, hostile_safetensors, testing::ValuesIn(hostile_files()),
                         [](const auto& info) { return info.param.name; });

TEST(safetensors, too_many_tensors_are_refused) {
  std::string header = "{";
  for (int i = 0; i <= kMaxTensors; ++i)
    header += "\"" + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)";
  header.back() = '}';
  EXPECT_THAT(read_error(file_of(header, "")), HasSubstr("too many tensors: expected at most 100000"));
}

TEST(safetensors, a_folder_or_an_absent_file_is_refused) {
  Scratch scratch;
  EXPECT_THAT(error_of([&] { read_safetensors(disk(), scratch.path()); }),
              HasSubstr("expected a regular file"));
  EXPECT_THAT(error_of([&] { read_safetensors(disk(), scratch / "none"); }),
              HasSubstr("cannot open: No such file or directory"));
}

TEST(safetensors, escapes_in_names_are_resolved) {
  Scratch scratch;
  spit(scratch / "x",
       file_of(R"({"\u00e4\ud83d\ude00\n":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", ""));
  EXPECT_EQ(read_safetensors(disk(), scratch / "x").tensors[0].name, "\xc3\xa4\xf0\x9f\x98\x80\n");
}

// Whatever bytes come, the reader answers with tensors or with an Error.
TEST(safetensors, mutated_files_never_crash) {
  Scratch scratch;
  write_safetensors(disk(), scratch / "x", contents_at(1).model, {{"k", "v"}});
  const std::string whole = slurp(scratch / "x");
  std::uint32_t state = 1;
  const auto next = [&] { return state = state * 1664525 + 1013904223, state >> 8; };
  for (int i = 0; i < 5000; ++i) {
    std::string bytes = whole;
    for (std::uint32_t n = next() % 4 + 1; n > 0; --n)
      bytes[next() % bytes.size()] = "{}[],:\"\\09a\0\xff"[next() % 13];
    spit(scratch / "y", bytes);
    error_of([&] { read_safetensors(disk(), scratch / "y"); });
  }
}

}  // namespace
}  // namespace kinema::checkpoint
