#include "framework/config/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config/folder.h"

namespace kinema::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string said_by(const Value* value) {
  return value ? std::filesystem::path(value->origin.source).filename().string() : "nobody";
}

std::vector<std::string> texts(const Layers& layers) {
  std::vector<std::string> list;
  for (const Problem& problem : layers.problems) list.push_back(problem.where + ": " + problem.what);
  return list;
}

TEST(layers, stronger_ones_win_key_by_key_and_values_know_who_said_them) {
  const Folder folder;
  folder.write("weak.toml", "a = 1\nb = 1\nc = 1\nd = 1\ne = 1\n[t]\nx = 1\ny = 1\n");
  folder.write("base.toml", "b = 2\nc = 2\nd = 2\ne = 2\n[t]\ny = 2\n");
  const auto file =
      folder.write("exp.toml", "extends = [\"weak.toml\", \"base.toml\"]\nc = 3\nd = 3\ne = 3\n");
  const Environment set("KINEMA_SET", "d=4 e=4");
  const Layers layers = read_layers(file, {"e=5", "t.z=5"});
  EXPECT_EQ(layers.merged, Value::table({{"a", 1},
                                         {"b", 2},
                                         {"c", 3},
                                         {"d", 4},
                                         {"e", 5},
                                         {"t", Value::table({{"x", 1}, {"y", 2}, {"z", 5}})}}))
      << layers.merged.text();
  EXPECT_EQ(said_by(layers.merged.find("a")), "weak.toml");
  EXPECT_EQ(said_by(layers.merged.find("b")), "base.toml");
  EXPECT_EQ(said_by(layers.merged.find("c")), "exp.toml");
  EXPECT_EQ(said_by(layers.merged.find("d")), "KINEMA_SET");
  EXPECT_EQ(said_by(layers.merged.find("e")), "command line");
}

TEST(layers, files_extend_files_relative_to_themselves_and_each_value_keeps_its_folder) {
  const Folder folder;
  folder.write("shared/deep/data.toml", "[data]\nroot = \"videos\"\n");
  folder.write("shared/base.toml", "extends = \"deep/data.toml\"\nweights = \"w\"\n");
  const auto file = folder.write("exp/exp.toml", "extends = [\"../shared/base.toml\"]\n");
  const Layers layers = read_layers(file, {"runs_dir=runs"});
  EXPECT_EQ(layers.merged.find("data")->find("root")->origin.base, (folder.path() / "shared/deep").string());
  EXPECT_EQ(layers.merged.find("weights")->origin.base, (folder.path() / "shared").string());
  EXPECT_EQ(layers.merged.find("runs_dir")->origin.base, std::filesystem::current_path().string());
  EXPECT_EQ(layers.merged.find("extends"), nullptr);
}

TEST(layers, a_file_may_be_extended_by_two_others) {
  const Folder folder;
  folder.write("root.toml", "a = 1\n");
  folder.write("left.toml", "extends = \"root.toml\"\nb = 1\n");
  folder.write("right.toml", "extends = \"root.toml\"\nc = 1\n");
  const auto file = folder.write("exp.toml", "extends = [\"left.toml\", \"right.toml\"]\n");
  EXPECT_EQ(read_layers(file).merged, Value::table({{"a", 1}, {"b", 1}, {"c", 1}}));
}

TEST(layers, files_that_double_at_each_level_are_stopped) {
  const Folder folder;
  for (int i = 0; i < 30; ++i) {
    const std::string next = "\"" + std::to_string(i + 1) + ".toml\"";
    folder.write(std::to_string(i) + ".toml", "extends = [" + next + ", " + next + "]\n");
  }
  folder.write("30.toml", "a = 1\n");
  const Layers layers = read_layers(folder.path() / "0.toml");
  EXPECT_FALSE(layers.complete);
  EXPECT_THAT(texts(layers), ElementsAre(HasSubstr("too many files: expected at most 100, got more")));
}

TEST(layers, overrides_set_append_delete_and_index) {
  const Folder folder;
  const auto file =
      folder.write("exp.toml",
                   "plugins = [\"a\"]\n[model]\ndepth = 18\nwidth = 1\n[[callback]]\npatience = 1\n"
                   "[[callback]]\npatience = 2\n[[callback]]\npatience = 3\n");
  const Layers layers =
      read_layers(file, {"model.depth=50", "~model.width", "plugins+=b", "plugins+=[\"c\", \"d\"]",
                         "callback.0.patience = 9", "~callback.1", "callback += { k = 1 }"});
  EXPECT_THAT(texts(layers), ElementsAre());
  EXPECT_EQ(layers.merged.text(),
            "{ plugins = [\"a\", \"b\", \"c\", \"d\"], model = { depth = 50 }, callback = [{ patience = 9 }, "
            "{ patience = 3 }, { k = 1 }] }");
}

TEST(layers, a_table_given_whole_replaces_and_dotted_keys_merge) {
  const Folder folder;
  const auto file = folder.write("exp.toml", "[a]\nx = 1\ny = 1\n[b]\nx = 1\ny = 1\n");
  EXPECT_EQ(read_layers(file, {"a={ x = 2 }", "b.x=2"}).merged,
            Value::table({{"a", Value::table({{"x", 2}})}, {"b", Value::table({{"x", 2}, {"y", 1}})}}));
}

TEST(layers, a_file_given_as_a_value_replaces_a_table_and_its_paths_are_its_own) {
  const Folder folder;
  folder.write("sets/ucf.toml", "[train]\nroot = \"videos\"\n");
  const auto file = folder.write("exp.toml", "[data.train]\nold = 1\n");
  const Layers layers = read_layers(file, {"data=@" + (folder.path() / "sets/ucf.toml").string()});
  EXPECT_EQ(layers.merged.find("data")->text(), "{ train = { root = \"videos\" } }");
  EXPECT_EQ(layers.merged.find("data")->find("train")->find("root")->origin.base,
            (folder.path() / "sets").string());
}

TEST(layers, quoted_parts_of_a_key_may_hold_dots_and_equals_signs) {
  const Folder folder;
  const auto file = folder.write("exp.toml", "a = 1\n");
  EXPECT_EQ(read_layers(file, {"m.\"x.y=z\".k=1"}).merged.find("m")->text(), "{ \"x.y=z\" = { k = 1 } }");
}

TEST(layers, environment_variables_are_expanded_after_merging) {
  const Folder folder;
  const Environment root("KINEMA_TEST_ROOT", "/mnt/a");
  const auto file = folder.write(
      "exp.toml", "a = \"${KINEMA_TEST_ROOT}/x\"\nb = \"${KINEMA_TEST_NOT_SET}\"\nc = [\"$${d} $5 $$${\"]\n");
  const Layers layers = read_layers(file, {"b=none"});
  EXPECT_THAT(texts(layers), ElementsAre());
  EXPECT_EQ(layers.merged,
            Value::table({{"a", "/mnt/a/x"}, {"b", "none"}, {"c", Value(Value::Array{"${d} $5 $${"})}}));
}

TEST(layers, plugin_folders_are_found_before_anything_is_checked) {
  const Folder folder;
  folder.write("base.toml", "plugins = [\"mine\"]\nunknown = 1\n");
  const auto file = folder.write("exp/exp.toml", "extends = \"../base.toml\"\n");
  EXPECT_THAT(read_layers(file, {"plugins+=/abs/x.so"}).plugins,
              ElementsAre(folder.path() / "mine", std::filesystem::path("/abs/x.so")));
}

TEST(layers, a_folder_or_a_pipe_is_no_experiment) {
  const Folder folder;
  EXPECT_THAT(texts(read_layers(folder.path())),
              ElementsAre(HasSubstr("expected a TOML file, got a folder")));
  EXPECT_THAT(texts(read_layers("/dev/zero")), ElementsAre(HasSubstr("got no regular file")));
}

TEST(layers, an_override_that_is_no_text_is_refused) {
  const Folder folder;
  const auto file = folder.write("exp.toml", "a = 1\n");
  EXPECT_THAT(texts(read_layers(file, {"name=\xff"})),
              ElementsAre("command line: not a text file: expected UTF-8, got byte 0xff"));
}

TEST(layers, overrides_go_on_top_of_a_resolved_table_that_is_not_expanded_again) {
  const Value resolved = Value::table({{"a", "${LITERAL}"}, {"t", Value::table({{"x", 1}, {"y", 1}})}});
  const Environment home("KINEMA_TEST_ROOT", "/mnt");
  const Layers layers = read_overrides({"t.x=2", "~t.y", "b=${KINEMA_TEST_ROOT}"}, resolved);
  EXPECT_THAT(texts(layers), ElementsAre());
  EXPECT_EQ(layers.merged,
            Value::table({{"a", "${LITERAL}"}, {"t", Value::table({{"x", 2}})}, {"b", "/mnt"}}));
}

TEST(layers, overrides_work_without_a_file) {
  EXPECT_EQ(read_overrides({"model.type=x", "model.depth=3"}).merged.text(),
            "{ model = { type = \"x\", depth = 3 } }");
}

}  // namespace
}  // namespace kinema::config
