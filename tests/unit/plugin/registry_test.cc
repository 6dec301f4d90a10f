#include "framework/plugin/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/dataset.h"
#include "kinema/transform.h"
#include "tests/unit/plugin/museum.h"

namespace kinema::plugin {
namespace {

const std::string kFault = "\nhint: this is a fault of the plugin: tell its author";

struct registry : testing::Test {
  registry() { known.load({exhibit("well_behaved"), exhibit("failing_factories")}); }

  std::shared_ptr<Dataset> make(const std::string& type, const Value& options = Value::table()) {
    return known.make<Dataset>(type, options, facts);
  }
  std::string failure(const std::string& type, const Value& options = Value::table()) {
    return reason([&] { make(type, options); });
  }

  Registry known;
  MakeContext facts;
};

TEST_F(registry, makes_a_component_from_its_options) {
  const auto dataset = make(
      "well_behaved",
      Value::table({{"root", "/data"}, {"items", 2}, {"subset", "test"}, {"prefix", "p"}, {"weight", 2}}));
  EXPECT_EQ(dataset->size(), 2u);
  EXPECT_THAT(dataset->classes(), testing::ElementsAre("p", "test", "18"));
  EXPECT_EQ(dataset->item(1).sources.at(0).video, "/data/p/1");
  EXPECT_FLOAT_EQ(dataset->item(1).weight, 2);
}

TEST_F(registry, makes_the_components_inside_a_component) {
  const Value step = Value::table({{"type", "nothing"}});
  const Value inner = Value::table({{"type", "well_behaved"}, {"preset", "small"}, {"root", "/x"}});
  const auto dataset = make(
      "well_behaved",
      Value::table({{"root", "/data"}, {"fallback", inner}, {"steps", Value(Value::Array{step, step})}}));
  EXPECT_EQ(dataset->size(), 4u);
  EXPECT_EQ(dataset->item(0).target.label, 2);
}

TEST_F(registry, puts_a_preset_below_the_keys) {
  const auto dataset =
      make("well_behaved", Value::table({{"preset", "small"}, {"root", "/data"}, {"prefix", "mine"}}));
  EXPECT_EQ(dataset->size(), 1u);
  EXPECT_EQ(dataset->classes()[0], "mine");
}

TEST_F(registry, tells_factories_about_the_run) {
  std::vector<std::string> lines;
  facts.classes = {"run", "walk"};
  facts.seed = 9;
  facts.info = [&](std::string_view line) { lines.emplace_back(line); };
  make("well_behaved", Value::table({{"root", "/data"}}));
  facts.num_classes = 40;
  make("well_behaved", Value::table({{"root", "/data"}}));
  EXPECT_THAT(lines,
              testing::ElementsAre("well_behaved: seed 9, classes 2", "well_behaved: seed 9, classes 40"));
}

TEST_F(registry, reports_every_problem_of_the_options) {
  facts.where = "data.train";
  EXPECT_EQ(failure("well_behaved", Value::table({{"item", 1}, {"depth", 11}})),
            "data.train.item: unknown key: expected one of root, items, weight, shuffle, prefix, subset, "
            "limit, include, "
            "size, depth, holdout, fallback, steps, preset, got \"item\"\n"
            "hint: did you mean \"items\"? `kinema describe dataset well_behaved` lists its keys\n"
            "data.train.depth: unknown value: expected one of 10, 18, 34, got 11\n"
            "data.train: missing key: expected \"root\", got nothing\n"
            "hint: root = path: folder of the files");
}

TEST_F(registry, names_the_types_there_are) {
  EXPECT_THAT(failure("wel_behaved"),
              testing::AllOf(testing::HasSubstr("unknown dataset: expected one of endless, "),
                             testing::HasSubstr("did you mean \"well_behaved\"?")));
}

TEST_F(registry, names_the_plugin_whose_factory_failed) {
  EXPECT_EQ(failure("fails_error"), "plugin failing_factories: dataset fails_error: list.csv: no such list");
  EXPECT_EQ(failure("fails_exception"),
            "plugin failing_factories: dataset fails_exception: its factory threw std::runtime_error: "
            "index out of step" +
                kFault);
  EXPECT_EQ(failure("fails_int"),
            "plugin failing_factories: dataset fails_int: its factory threw int" + kFault);
  EXPECT_EQ(failure("fails_memory"),
            "plugin failing_factories: dataset fails_memory: out of memory while it was built");
  EXPECT_EQ(failure("fails_null"),
            "plugin failing_factories: dataset fails_null: expected a dataset from its factory, got a null "
            "pointer" +
                kFault);
}

TEST_F(registry, keeps_the_meaning_of_a_factorys_error) {
  try {
    make("fails_error");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
  }
}

TEST_F(registry, names_the_innermost_plugin_once) {
  EXPECT_EQ(failure("nest", Value::table({{"inner", Value::table({{"type", "fails_error"}})}})),
            "plugin failing_factories: dataset fails_error: list.csv: no such list");
}

TEST_F(registry, ends_a_component_that_makes_itself) {
  EXPECT_THAT(failure("endless"),
              testing::HasSubstr("components are nested too deeply: expected at most 32 levels"));
}

TEST_F(registry, lists_components_in_alphabetical_order) {
  std::vector<std::string> types;
  for (const ComponentInfo* info : known.all("dataset")) types.push_back(info->type);
  EXPECT_THAT(types, testing::ElementsAre("endless", "fails_error", "fails_exception", "fails_int",
                                          "fails_memory", "fails_null", "nest", "well_behaved"));
  EXPECT_EQ(known.find("dataset", "well_behaved")->library, exhibit("well_behaved").string());
  EXPECT_EQ(known.find("model", "well_behaved"), nullptr);
}

TEST_F(registry, finds_a_preset_by_its_name_alone) {
  const FoundPreset found = known.find_preset("deep", "dataset");
  EXPECT_EQ(found.component->type, "well_behaved");
  EXPECT_EQ(found.preset->name, "deep");
  EXPECT_EQ(reason([&] { known.find_preset("smal", "dataset"); }),
            "preset smal: unknown preset: expected one of small, deep, got \"smal\"\nhint: did you mean "
            "\"small\"?");
}

// Built-in components, through the same door.
struct Silent final : Transform {};

void register_silent(Registrar& registrar) {
  const auto make = [](const NoOptions&, Context&) { return std::make_shared<Silent>(); };
  registrar.add<Transform>("silent", "does nothing", Options<NoOptions>(), make)
      .preset("deep", "as another's", Value::table());
  registrar.add<Transform>("quiet", "does nothing", Options<NoOptions>(), make)
      .preset("deep", "the same", Value::table());
}

TEST_F(registry, takes_the_hosts_own_components_through_the_same_door) {
  known.register_builtins(register_silent);
  EXPECT_NE(known.make<Transform>("silent", Value::table(), facts), nullptr);
  EXPECT_EQ(known.find("transform", "silent")->library, "built in");
  EXPECT_EQ(reason([&] { known.register_builtins(register_silent); }),
            "built in: transform silent: the name is taken by built in\n"
            "built in: transform quiet: the name is taken by built in");
}

TEST_F(registry, refuses_a_preset_that_two_components_have) {
  known.register_builtins(register_silent);
  EXPECT_EQ(reason([&] { known.find_preset("deep", "transform"); }),
            "preset deep: ambiguous preset: expected one transform that has it, got quiet, silent\n"
            "hint: name the transform with type = and the preset with preset =");
}

TEST_F(registry, a_built_in_name_is_never_taken_by_a_library) {
  Registry own;
  own.register_builtins([](Registrar& registrar) {
    registrar.add<Transform>("nothing", "does nothing", Options<NoOptions>(),
                             [](const NoOptions&, Context&) { return std::make_shared<Silent>(); });
  });
  own.load({exhibit("well_behaved")});
  ASSERT_FALSE(own.libraries()[0].loaded());
  EXPECT_EQ(own.libraries()[0].reasons.at(0).what, "transform nothing: the name is taken by built in");
}

}  // namespace
}  // namespace kinema::plugin
