#include "framework/checkpoint/pickle.h"

#include <gmock/gmock.h>

#include "framework/checkpoint/pickle_writer.h"
#include "tests/unit/checkpoint/contents.h"
#include "tests/unit/checkpoint/raw_pickle.h"

namespace kinema::checkpoint {
namespace {

using testing::HasSubstr;
using Kind = PickleKind;
using raw::pickle;
using raw::text;

// Values of a pickle, written as Python would.
std::string shown(const PickleValue& value) {
  const auto items = [&](const char* open, const char* close) {
    std::string out = open;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (i > 0) out += ' ';
      out += shown(*value.items[i]);
    }
    return out + close;
  };
  switch (value.kind) {
    case Kind::none:
      return "None";
    case Kind::boolean:
      return value.integer != 0 ? "True" : "False";
    case Kind::integer:
      return std::to_string(value.integer);
    case Kind::big_integer:
      return "big" + std::to_string(value.text.size());
    case Kind::real:
      return std::to_string(value.real);
    case Kind::text:
      return "'" + std::string(value.text) + "'";
    case Kind::bytes:
      return "b'" + std::string(value.text) + "'";
    case Kind::list:
      return items("[", "]");
    case Kind::tuple:
      return items("(", ")");
    case Kind::set:
      return items("<", ">");
    case Kind::dict:
      return items("{", "}");
    case Kind::global:
      return std::string(value.text);
    case Kind::persistent:
      return items("@", "");
    case Kind::object:
      return items("!", "");
  }
  return "?";
}

std::string read(const std::string& bytes, const PickleLimits& limits = {}) {
  return shown(*read_pickle(bytes, "x", limits).root);
}

std::string pickle_error(const std::string& bytes, const PickleLimits& limits = {}) {
  return error_of([&] { read_pickle(bytes, "x.pth: data.pkl", limits); });
}

TEST(pickle, every_opcode_gives_its_value) {
  const std::pair<std::string, const char*> table[] = {
      {"N", "None"},
      {"\x88", "True"},
      {"\x89", "False"},
      {std::string("J\xff\xff\xff\xff", 5), "-1"},
      {"K\xff", "255"},
      {std::string("M\x01\x02", 3), "513"},
      {std::string("\x8a\x00", 2), "0"},
      {"\x8a\x01\xfe", "-2"},
      {raw::integer(-1'234'567'890'123), "-1234567890123"},
      {"\x8a\x0a" + std::string(10, 'x'), "big10"},
      {std::string("\x8b\x02\x00\x00\x00\x00\x01", 7), "256"},
      {std::string("G\x3f\xf8\x00\x00\x00\x00\x00\x00", 9), "1.500000"},
      {text("key"), "'key'"},
      {"\x8c\x03key", "'key'"},
      {std::string("\x8d\x03\x00\x00\x00\x00\x00\x00\x00key", 12), "'key'"},
      {"U\x03key", "'key'"},
      {std::string("T\x03\x00\x00\x00key", 8), "'key'"},
      {"C\x03key", "b'key'"},
      {std::string("B\x03\x00\x00\x00key", 8), "b'key'"},
      {"](NNe", "[None None]"},
      {"]Na", "[None]"},
      {"(NNl", "[None None]"},
      {"\x8f(N\x90", "<None>"},
      {")", "()"},
      {"(NNNNt", "(None None None None)"},
      {"N\x85", "(None)"},
      {"NK\x01\x86", "(None 1)"},
      {"NNK\x01\x87", "(None None 1)"},
      {"}NK\x01s", "{None 1}"},
      {"}(NK\x01NK\x02u", "{None 1 None 2}"},
      {"NN0", "None"},
      {"N(NN1", "None"},
      {"N2\x86", "(None None)"},
      {"Nq\x05h\x05\x86", "(None None)"},
      {std::string("Nr\x05\x00\x00\x00j\x05\x00\x00\x00\x86", 12), "(None None)"},
      {"K\x01\x94K\x02\x94\x86\x94h\x02\x86", "((1 2) (1 2))"},
      {raw::global("torch", "FloatStorage"), "torch.FloatStorage"},
      {"\x8c\x05torch\x8c\x04Size\x93", "torch.Size"},
      {"NQ", "@None"},
      {std::string("\x95\x01\x00\x00\x00\x00\x00\x00\x00N", 10), "None"},
  };
  for (const auto& [body, value] : table) EXPECT_EQ(read(pickle(body)), value) << value;
}

TEST(pickle, calls_are_kept_and_never_made) {
  EXPECT_EQ(read(pickle(raw::call(raw::global("os", "system"), {text("rm -rf /")}))),
            "!os.system ('rm -rf /')");
  EXPECT_EQ(read(pickle(raw::global("a", "B") + ")\x81" + raw::dict({text("k"), "N"}) + "b")),
            "!a.B () {'k' None}");
  EXPECT_EQ(read(pickle(raw::call(raw::global("builtins", "getattr"), {"N", "N"}) + ")R")),
            "!!builtins.getattr (None None) ()");
}

TEST(pickle, python_dict_types_are_dicts) {
  const std::string ordered = raw::global("collections", "OrderedDict");
  EXPECT_EQ(read(pickle(ordered + ")R(" + text("a") + "K\x01u")), "{'a' 1}");
  EXPECT_EQ(read(pickle(ordered + ")R" + raw::dict({text("_metadata"), "N"}) + "b")), "{}");
  EXPECT_EQ(read(pickle(raw::call(ordered, {raw::list({raw::list({text("a"), "K\x01"})})}))), "{'a' 1}");
  EXPECT_EQ(read(pickle(raw::call(raw::global("collections", "Counter"), {raw::dict({text("a"), "K\x02"})}))),
            "{'a' 2}");
  EXPECT_EQ(
      read(pickle(raw::call(raw::global("collections", "defaultdict"), {raw::global("builtins", "int")}) +
                  text("a") + "K\x02s")),
      "{'a' 2}");
}

TEST(pickle, a_value_may_hold_itself) {
  const PickleTree tree = read_pickle(pickle("]q\x01h\x01"
                                             "a"),
                                      "x");
  EXPECT_EQ(tree.root->items.at(0), tree.root);
}

TEST(pickle, says_where_it_ended_and_which_storages_it_named) {
  const std::string first = pickle("(NQK\x01Qt");
  const PickleTree tree = read_pickle(first + "more", "x");
  EXPECT_EQ(tree.bytes, first.size());
  EXPECT_THAT(tree.persistent, testing::SizeIs(2));
}

struct Hostile {
  const char* name;
  std::string bytes;
  const char* error;
};

std::vector<Hostile> hostile_pickles() {
  return {
      {"empty", "", "cut off at byte 0"},
      {"no stop", "\x80\x02N", "cut off at byte 3"},
      {"cut number", "\x80\x02J\x01", "cut off at byte 3: expected 4 more bytes, got 1"},
      {"cut string", pickle("X\xff\xff\xff\x7fshort"), "expected 2147483647 more bytes"},
      {"endless string", pickle("\x8d" + std::string(8, '\xff')), "expected 18446744073709551615 more bytes"},
      {"cut long", pickle("\x8b" + std::string(4, '\x7f')), "expected 2139062143 more bytes"},
      {"cut name",
       "\x80\x02"
       "cos\nsystem",
       "expected a line"},
      {"protocol 9", "\x80\x09N.", "pickle protocol is too new: expected at most 5, got 9"},
      {"import by extension", pickle("\x82\x01"),
       "pickle opcode ? at byte 2: expected an opcode of checkpoints, got 0x82"},
      {"old instance", pickle("(ios\nsystem\n"), "got 0x69"},
      {"text protocol", "(dp0\n.", "got 0x64"},
      {"new object with keywords", pickle("\x92"), "got 0x92"},
      {"textual persistent id", pickle("P1\n"), "got 0x50"},
      {"empty stack", pickle(""), "pickle opcode STOP at byte 2: expected a value on the stack, got none"},
      {"pop of nothing", pickle("0"), "opcode POP at byte 2: expected a value"},
      {"no mark", pickle("Nt"), "opcode TUPLE at byte 3: expected a mark"},
      {"mark not passed", pickle("N(\x85"), "opcode TUPLE1 at byte 4: expected a value on the stack"},
      {"left over", pickle("NN"), "expected one value at the end, got 1 more"},
      {"left over mark", pickle("(N"), "expected one value at the end, got 1 more"},
      {"no memo", pickle("h\x07"), "memo has no entry 7"},
      {"huge memo", pickle("Nr" + std::string(4, '\xff')), "memo index 4294967295 is out of range"},
      {"append to a tuple", pickle(")Na"), "cannot add to a tuple of 0"},
      {"append to a number", pickle("K\x01(NNe"), "cannot add to an integer"},
      {"item of a list", pickle("]NNs"), "cannot add to a list of 0"},
      {"item of a set", pickle("\x8fNa"), "cannot add to a set of 0"},
      {"key without a value", pickle("}(NNNu"), "got a key without one"},
      {"arguments", pickle(raw::global("a", "b") + "NR"), "expected a tuple of arguments, got None"},
      {"state of a number", pickle("K\x01}b"), "cannot give a state to an integer"},
      {"dict of a number", pickle(raw::call(raw::global("collections", "OrderedDict"), {"K\x01"})),
       "expected the content of a dict, got an integer"},
      {"dict of singles",
       pickle(raw::call(raw::global("collections", "OrderedDict"), {raw::list({raw::list({"N"})})})),
       "expected pairs in a dict, got a list of 1"},
      {"nameless", pickle(raw::global("", "")), "bad name of a class or function"},
      {"long name", pickle(raw::global(std::string(2000, 'a'), "b")), "bad name of a class or function"},
      {"name of numbers", pickle("K\x01K\x02\x93"), "expected two strings on the stack"},
      {"deep", pickle(std::string(20'000, '(')), "nested too deep: expected at most 10000"},
      {"many at once", pickle("N" + std::string(2'000'000, '2')), "expected at most 1048576 values at once"},
  };
}

TEST(pickle, hostile_ones_are_refused_with_opcode_and_offset) {
  for (const Hostile& hostile : hostile_pickles())
    EXPECT_THAT(pickle_error(hostile.bytes), HasSubstr(hostile.error)) << hostile.name;
}

TEST(pickle, a_million_levels_without_marks_cost_no_stack) {
  std::string body = "N" + std::string(500'000, '\x85');
  const PickleTree tree = read_pickle(pickle(body), "x");
  EXPECT_EQ(tree.root->kind, Kind::tuple);
  body.clear();
  for (int i = 0; i < 500'000; ++i) body += "]";
  EXPECT_NO_THROW(read_pickle(pickle(body + std::string(499'999, 'a')), "x"));
}

TEST(pickle, memory_of_the_values_is_bounded) {
  PickleLimits small;
  small.memory = 1 << 16;
  std::string lists;
  for (int i = 0; i < 2000; ++i) lists += "]0";
  EXPECT_THAT(pickle_error(pickle(lists + "N"), small),
              HasSubstr("holds too much: expected at most 65536 bytes"));
  // A dict copied again and again.
  std::string copies = raw::dict({"N", "N", "K\x01", "N", "K\x02", "N"}) + "q\x01";
  for (int i = 0; i < 2000; ++i) copies += raw::global("collections", "Counter") + "h\x01\x85R0";
  EXPECT_THAT(pickle_error(pickle(copies), small), HasSubstr("holds too much"));
}

TEST(pickle, that_the_writer_wrote_is_read_back) {
  PickleWriter writer;
  writer.global("collections", "OrderedDict");
  writer.empty_tuple();
  writer.call();
  writer.mark();
  writer.string("a");
  writer.integers(std::vector<std::int64_t>{0, -5, 1ll << 40});
  writer.string("b");
  writer.boolean(true);
  writer.set_items();
  EXPECT_EQ(read(writer.finish()), "{'a' (0 -5 1099511627776) 'b' True}");
}

}  // namespace
}  // namespace kinema::checkpoint
