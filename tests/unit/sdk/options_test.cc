#include "kinema/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kinema/catalog.h"
#include "kinema/dataset.h"
#include "kinema/registrar.h"

namespace kinema {
namespace {

using testing::ElementsAre;

enum class Mode { fast, exact };

struct Inner {
  std::int32_t small = 1;
  double share = 0.5;
};
struct Everything {
  bool flag = false;
  std::int64_t count = 3;
  std::uint8_t byte = 7;
  float single = 0.5f;
  std::string text = "x";
  std::filesystem::path file;
  Mode mode = Mode::fast;
  std::optional<Mode> maybe_mode;
  std::optional<std::int64_t> maybe;
  std::vector<double> list = {1, 2};
  Inner inner;
  Component<Dataset> set;
  std::vector<Component<Dataset>> sets;
};

const OptionTable& everything() {
  using E = Everything;
  static const OptionTable table =
      Options<E>()
          .add("flag", &E::flag, "")
          .add("count", &E::count, "", at_least(1), at_most(9))
          .renamed_from("number")
          .add("byte", &E::byte, "")
          .add("single", &E::single, "")
          .add("text", &E::text, "", not_empty())
          .add("file", &E::file, "")
          .add_enum("mode", &E::mode, "", {{"fast", Mode::fast}, {"exact", Mode::exact}})
          .add_enum("maybe_mode", &E::maybe_mode, "", {{"fast", Mode::fast}, {"exact", Mode::exact}})
          .add("maybe", &E::maybe, "")
          .add("list", &E::list, "", length(2), each(above(0)))
          .add_table("inner", &E::inner, "",
                     Options<Inner>()
                         .add("small", &Inner::small, "")
                         .add("share", &Inner::share, "", between(0, 1))
                         .check([](const Inner& inner) {
                           return inner.share > 0 || inner.small > 0
                                      ? std::vector<std::string>{}
                                      : std::vector<std::string>{"share and small are both 0"};
                         }))
          .add("set", &E::set, "")
          .add("sets", &E::sets, "")
          .table();
  return table;
}

std::vector<std::string> problems_of(const OptionTable& table, const Value& value,
                                     const Catalog* catalog = nullptr) {
  std::vector<Problem> problems;
  table.parse(value, nullptr, catalog, "net", problems);
  std::vector<std::string> texts;
  for (const Problem& problem : problems) texts.push_back(problem.where + ": " + problem.what);
  return texts;
}

Everything parsed(const Value& value) {
  Everything object;
  std::vector<Problem> problems;
  everything().parse(value, &object, nullptr, "", problems);
  EXPECT_TRUE(problems.empty()) << problems[0].what;
  return object;
}

TEST(options, fill_every_type_of_member) {
  const Everything e = parsed(Value::table({{"flag", true},
                                            {"count", 5},
                                            {"byte", 255},
                                            {"single", 2},
                                            {"text", "t"},
                                            {"mode", "exact"},
                                            {"maybe_mode", "exact"},
                                            {"maybe", 4},
                                            {"list", Value(Value::Array{1, 0.5})},
                                            {"inner", Value::table({{"small", -3}})},
                                            {"set", Value::table({{"type", "folder"}, {"root", "r"}})},
                                            {"sets", Value(Value::Array{Value::table({{"type", "a"}})})}}));
  EXPECT_TRUE(e.flag);
  EXPECT_EQ(e.count, 5);
  EXPECT_EQ(e.byte, 255);
  EXPECT_EQ(e.single, 2.0f);
  EXPECT_EQ(e.mode, Mode::exact);
  EXPECT_EQ(e.maybe_mode, Mode::exact);
  EXPECT_EQ(e.maybe, 4);
  EXPECT_THAT(e.list, ElementsAre(1, 0.5));
  EXPECT_EQ(e.inner.small, -3);
  EXPECT_EQ(e.inner.share, 0.5);
  EXPECT_EQ(e.set.type, "folder");
  EXPECT_EQ(e.set.options.text(), "{ root = \"r\" }");
  EXPECT_EQ(e.sets.at(0).type, "a");
}

TEST(options, what_is_absent_keeps_its_default) {
  const Everything e = parsed(Value::table());
  EXPECT_EQ(e.count, 3);
  EXPECT_EQ(e.maybe, std::nullopt);
  EXPECT_EQ(e.maybe_mode, std::nullopt);
  EXPECT_FALSE(e.set);
}

TEST(options, read_back_what_they_filled) {
  const Value value = everything().read(std::make_unique<Everything>().get());
  EXPECT_EQ(
      value.text(),
      "{ flag = false, count = 3, byte = 7, single = 0.5, text = \"x\", file = \"\", mode = \"fast\", list = "
      "[1.0, 2.0], inner = { small = 1, share = 0.5 }, sets = [] }");
  Everything again = parsed(value);
  EXPECT_EQ(everything().read(&again), value);
}

TEST(options, report_every_problem_at_once) {
  EXPECT_THAT(
      problems_of(everything(), Value::table({{"flg", true},
                                              {"count", "three"},
                                              {"byte", 1.5},
                                              {"text", ""},
                                              {"mode", "exakt"},
                                              {"inner", Value::table({{"share", 2}, {"sm", 1}})},
                                              {"set", Value::table({{"root", "r"}})}})),
      ElementsAre("net.flg: unknown key: expected one of flag, count, byte, single, text, file, mode, "
                  "maybe_mode, maybe, list, inner, set, sets, got \"flg\"",
                  "net.count: wrong value type: expected integer, got string",
                  "net.byte: wrong value type: expected integer, got number",
                  "net.text: wrong value: expected something that is not empty, got \"\"",
                  "net.mode: unknown value: expected one of fast, exact, got \"exakt\"",
                  "net.inner.share: out of range: expected a number from 0 to 1, got 2",
                  "net.inner.sm: unknown key: expected one of small, share, got \"sm\"",
                  "net.set: missing key: expected \"type\", got nothing"));
}

TEST(options, a_problem_is_at_the_place_of_its_value) {
  Value value = Value::table({{"count", 0}});
  value.find("count")->origin = {"exp.toml", 4, 9, ""};
  std::vector<Problem> problems;
  everything().parse(value, nullptr, nullptr, "net", problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].where, "exp.toml:4:9");
  EXPECT_EQ(problems[0].origin.line, 4);
}

TEST(options, numbers_must_fit_the_member) {
  EXPECT_THAT(problems_of(everything(), Value::table({{"byte", 256}})),
              ElementsAre("net.byte: out of range: expected an integer from 0 to 255, got 256"));
  EXPECT_THAT(
      problems_of(everything(), Value::table({{"inner", Value::table({{"small", std::int64_t{1} << 31}})}})),
      ElementsAre("net.inner.small: out of range: expected an integer from -2147483648 to 2147483647, got "
                  "2147483648"));
  EXPECT_THAT(problems_of(everything(), Value::table({{"single", 1e39}})),
              ElementsAre("net.single: out of range: expected a finite number, got 1e+39"));
}

TEST(options, reals_are_finite_unless_a_condition_says_otherwise) {
  for (const double odd : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(problems_of(everything(), Value::table({{"single", odd}})),
                ElementsAre("net.single: out of range: expected a finite number, got " + Value(odd).text()));
    EXPECT_EQ(problems_of(everything(), Value::table({{"list", Value(Value::Array{1, odd})}})).size(), 1u);
    const auto table = Options<Inner>().add("share", &Inner::share, "", any_number()).table();
    EXPECT_THAT(problems_of(table, Value::table({{"share", odd}})), ElementsAre());
  }
}

TEST(options, an_old_name_is_accepted_and_replaced) {
  std::vector<Problem> problems;
  Everything object;
  const Value normal = everything().parse(Value::table({{"number", 8}}), &object, nullptr, "", problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(object.count, 8);
  EXPECT_EQ(normal.text(), "{ count = 8 }");
  EXPECT_THAT(problems_of(everything(), Value::table({{"count", 8}, {"number", 8}})),
              ElementsAre("net.number: given twice: expected \"count\" alone, got \"count\" and \"number\""));
}

TEST(options, a_required_one_must_be_there) {
  const auto table = Options<Inner>().add("share", &Inner::share, "of the cake").required().table();
  EXPECT_TRUE(table.find("share")->default_value.is(Value::Type::none));
  std::vector<Problem> problems;
  table.parse(Value::table(), nullptr, nullptr, "net", problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].what, "missing key: expected \"share\", got nothing");
  EXPECT_EQ(problems[0].hint, "share = number: of the cake");
}

TEST(options, a_condition_on_the_whole_runs_also_when_nothing_is_filled) {
  EXPECT_THAT(
      problems_of(everything(), Value::table({{"inner", Value::table({{"share", 0}, {"small", 0}})}})),
      ElementsAre("net.inner: share and small are both 0"));
}

TEST(options, paths_are_relative_to_the_source_that_says_them) {
  Value value = Value::table({{"file", "../videos/./a"}});
  value.find("file")->origin.base = "/home/me/exp";
  EXPECT_EQ(parsed(value).file, "/home/me/videos/a");
  Value absolute = Value::table({{"file", "/abs"}});
  absolute.find("file")->origin.base = "/home/me/exp";
  EXPECT_EQ(parsed(absolute).file, "/abs");
  EXPECT_EQ(parsed(Value::table({{"file", "here"}})).file, "here");
}

TEST(options, say_in_words_what_they_take) {
  const auto words = [](const char* name) { return everything().find(name)->type.text(); };
  EXPECT_EQ(words("count"), "integer");
  EXPECT_EQ(words("list"), "list of numbers");
  EXPECT_EQ(words("set"), "dataset");
  EXPECT_EQ(words("sets"), "list of datasets");
  EXPECT_EQ(words("inner"), "table");
  EXPECT_EQ(words("mode"), "choice");
}

TEST(options, a_value_that_is_no_table_is_refused) {
  EXPECT_THAT(problems_of(everything(), Value(3)),
              ElementsAre("net: wrong value type: expected table, got integer"));
}

// Components.

class OneDataset : public Catalog {
 public:
  OneDataset() {
    struct Folder {
      std::filesystem::path root;
      std::int64_t depth = 1;
      Component<Dataset> inner;
    };
    info_ = {"dataset",
             "folder",
             "",
             "built in",
             Options<Folder>()
                 .add("root", &Folder::root, "")
                 .required()
                 .add("depth", &Folder::depth, "", at_least(1))
                 .renamed_from("levels")
                 .add("inner", &Folder::inner, "")
                 .table(),
             {{"deep", "", Value::table({{"depth", 5}, {"root", "preset"}})}}};
  }
  const ComponentInfo* find(std::string_view kind, std::string_view type) const override {
    return kind == "dataset" && type == "folder" ? &info_ : nullptr;
  }
  std::vector<const ComponentInfo*> all(std::string_view kind) const override {
    if (kind != "dataset") return {};
    return {&info_};
  }

 private:
  ComponentInfo info_;
};

TEST(component_options, are_checked_by_the_component_to_any_depth) {
  const OneDataset catalog;
  const Value inner = Value::table({{"type", "foldr"}});
  const Value folder = Value::table({{"type", "folder"}, {"depth", 0}, {"inner", inner}});
  EXPECT_THAT(problems_of(everything(), Value::table({{"set", folder}}), &catalog),
              ElementsAre("net.set.depth: out of range: expected at least 1, got 0",
                          "net.set.inner.type: unknown dataset: expected folder, got \"foldr\"",
                          "net.set: missing key: expected \"root\", got nothing"));
}

TEST(component_options, a_preset_lies_below_the_keys_and_is_gone_afterwards) {
  const OneDataset catalog;
  std::vector<Problem> problems;
  const Value table = Value::table({{"type", "folder"}, {"preset", "deep"}, {"root", "mine"}});
  EXPECT_EQ(check_component(table, "dataset", catalog, "data", problems),
            Value::table({{"type", "folder"}, {"depth", 5}, {"root", "mine"}}));
  const Value old = Value::table({{"type", "folder"}, {"preset", "deep"}, {"levels", 2}});
  EXPECT_EQ(check_component(old, "dataset", catalog, "data", problems),
            Value::table({{"type", "folder"}, {"depth", 2}, {"root", "preset"}}));
  EXPECT_TRUE(problems.empty());
}

TEST(component_options, reach_the_factory_with_presets_merged) {
  const OneDataset catalog;
  Everything object;
  std::vector<Problem> problems;
  const Value inner = Value::table({{"type", "folder"}, {"preset", "deep"}});
  everything().parse(Value::table({{"sets", Value(Value::Array{inner})}}), &object, &catalog, "", problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(object.sets.at(0).options, Value::table({{"depth", 5}, {"root", "preset"}}));
}

struct Host {
  Component<Dataset> component{"folder", Value::table()};
  double lr = 0.1;
};

TEST(component_options, may_share_a_table_with_options_of_the_host) {
  const OneDataset catalog;
  const auto table = Options<Host>().rest(&Host::component).add("lr", &Host::lr, "", at_least(0)).table();
  Host host;
  std::vector<Problem> problems;
  table.parse(Value::table({{"lr", 1}, {"root", "r"}}), &host, &catalog, "", problems);
  ASSERT_TRUE(problems.empty()) << problems[0].what;
  EXPECT_EQ(host.component.type, "folder");
  EXPECT_EQ(host.component.options.text(), "{ root = \"r\" }");
  EXPECT_EQ(table.read(&host).text(), "{ lr = 1.0, type = \"folder\", root = \"r\" }");
  EXPECT_THAT(problems_of(table, Value::table({{"type", "folder"}, {"root", "r"}, {"lt", 1}}), &catalog),
              ElementsAre("net.lt: unknown key: expected one of root, depth, inner, preset, lr, got \"lt\""));
}

TEST(registrar, a_factory_gets_checked_options_or_none) {
  struct Staging : Registrar {
    Registration registration;
    Registration& add_any(Registration given) override { return registration = std::move(given); }
  } registrar;
  struct Nothing : Dataset {
    std::size_t size() const override { return 0; }
    std::vector<std::string> classes() const override { return {}; }
    Item item(std::size_t) const override { return {}; }
  };
  struct Host : Context {
    const std::vector<std::string>& classes() const override { return none; }
    std::int64_t num_classes() const override { return 0; }
    std::uint64_t seed() const override { return 0; }
    void load_weights(Model&, const std::filesystem::path&) override {}
    void missing(const std::vector<std::string>&) override {}
    void info(std::string_view) override {}
    void warn(std::string_view) override {}
    std::shared_ptr<void> make_any(std::string_view, const std::string&, const Value&) override {
      return nullptr;
    }
    std::vector<std::string> none;
  } host;
  std::int64_t seen = 0;
  registrar.add<Dataset>("nothing", "no items", Options<Inner>().add("small", &Inner::small, ""),
                         [&](const Inner& options, Context&) {
                           seen = options.small;
                           return std::make_shared<Nothing>();
                         });
  const auto made =
      std::static_pointer_cast<Dataset>(registrar.registration.make(Value::table({{"small", 4}}), host));
  EXPECT_EQ(made->size(), 0u);
  EXPECT_EQ(seen, 4);
  EXPECT_THROW(registrar.registration.make(Value::table({{"smal", 4}}), host), Error);
}

}  // namespace
}  // namespace kinema
