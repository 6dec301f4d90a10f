#include "framework/plugin/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/plugin/columns.h"
#include "tests/unit/plugin/museum.h"

namespace kinema::plugin {
namespace {

// A golden text, with the folder of the exhibits written as FOLDER.
std::string golden_text(const std::string& name) {
  std::string text = read_bytes(fs::path(KINEMA_GOLDEN_DIR) / "plugin" / name);
  const std::string folder = exhibit("x").parent_path().string();
  for (std::size_t at; (at = text.find("FOLDER")) != std::string::npos;) text.replace(at, 6, folder);
  return text;
}

Registry with(std::vector<fs::path> files) {
  Registry registry;
  registry.load(files);
  return registry;
}

TEST(describe, shows_options_presets_and_an_example) {
  const Registry registry = with({exhibit("well_behaved")});
  EXPECT_EQ(describe_text(*registry.find("dataset", "well_behaved")),
            golden_text("describe_well_behaved.txt"));
}

TEST(describe, of_a_component_without_options_is_short) {
  const Registry registry = with({exhibit("well_behaved")});
  EXPECT_EQ(describe_text(*registry.find("transform", "nothing")), golden_text("describe_nothing.txt"));
}

TEST(describe, lists_components_by_kind_and_refused_libraries_with_reasons) {
  const Registry registry =
      with({exhibit("well_behaved"), exhibit("throws_kinema_error"), exhibit("bad_default")});
  EXPECT_EQ(list_text(registry), golden_text("list.txt"));
  EXPECT_EQ(libraries_text(registry), golden_text("libraries.txt"));
}

TEST(describe, lists_one_kind_alone) {
  const Registry registry = with({exhibit("well_behaved")});
  EXPECT_THAT(list_text(registry, "transform"),
              testing::MatchesRegex("transform:\n  nothing  leaves the clip alone  .*well_behaved.so\n"));
  EXPECT_EQ(list_text(registry, "model"), "no component of kind model\n");
}

TEST(describe, gives_rows_for_other_forms_of_output) {
  const Registry registry = with({exhibit("well_behaved")});
  const std::vector<OptionRow> rows = option_rows(registry.find("dataset", "well_behaved")->options);
  ASSERT_EQ(rows.size(), 15u);
  EXPECT_EQ(rows[0].path, "root");
  EXPECT_TRUE(rows[0].required);
  EXPECT_EQ(rows[7].old_names, std::vector<std::string>{"globs"});
  EXPECT_EQ(rows[11].path, "holdout.fraction");
  EXPECT_EQ(rows[11].depth, 1);
  EXPECT_EQ(rows[11].allowed, "a number from 0 to 1");
  EXPECT_EQ(rows[13].component_kind, "dataset");
  EXPECT_EQ(rows[14].type, "list of transform components");
  EXPECT_EQ(rows[14].component_kind, "transform");
}

TEST(describe, aligns_columns_by_characters) {
  EXPECT_EQ(columns_text({{"\xc3\xa9t\xc3\xa9", "", "a"}, {"x", "", ""}, {"long", "", "b"}}, 1),
            " \xc3\xa9t\xc3\xa9   a\n x\n long  b\n");
}

}  // namespace
}  // namespace kinema::plugin
