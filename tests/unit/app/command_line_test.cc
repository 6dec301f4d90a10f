#include "framework/app/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/scratch.h"

namespace kinema::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Ended {
  int code;
  std::string out, err;
};

// The command line in this process, with nothing but an empty folder for plugins besides the built ones.
Ended kinema(std::vector<std::string> words, const std::string& plugin_path = "") {
  ::setenv("KINEMA_PLUGIN_PATH", plugin_path.c_str(), 1);
  ::setenv("KINEMA_SET", "", 1);
  words.insert(words.begin(), "kinema");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_command_line(static_cast<int>(words.size()), argv.data());
  std::string out = testing::internal::GetCapturedStdout();
  return {code, std::move(out), testing::internal::GetCapturedStderr()};
}

nlohmann::json json_of(const Ended& ended) {
  EXPECT_EQ(ended.code, 0) << ended.err;
  return nlohmann::json::parse(ended.out);
}

TEST(command_line, wants_a_command_it_knows) {
  EXPECT_THAT(kinema({}).err, StartsWith("command line: no command: expected one of train, eval, predict"));
  const Ended mistyped = kinema({"lst"});
  EXPECT_EQ(mistyped.code, 2);
  EXPECT_THAT(mistyped.err, AllOf(HasSubstr("unknown command"), HasSubstr("hint: did you mean \"list\"?")));
  EXPECT_THAT(kinema({"data"}).err, StartsWith("command line: no command: expected one of clip, check"));
}

TEST(command_line, suggests_the_option_that_was_meant) {
  const Ended ended = kinema({"list", "--jsn"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "command line: unknown option: got \"--jsn\"\nhint: did you mean \"--json\"?\n");
}

TEST(command_line, checks_the_values_of_options) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"predict", "c", "v", "--top", "0"}, "--top: wrong value: expected a positive number, got \"0\""},
      {{"predict", "c", "v", "--top", "5x"}, "--top: wrong value: expected a positive number, got \"5x\""},
      {{"data", "clip", "e", "--output", "o", "--index", "-1"},
       "--index: wrong value: expected a number from 0 on, got \"-1\""},
      {{"data", "clip", "e", "--output", "o", "--split", "test"},
       "--split: wrong value: expected one of train, val, got \"test\""},
      {{"data", "clip", "e", "--output", "o", "--index", "99999999999999999999"},
       "--index: wrong value: expected a number from 0 on, got \"99999999999999999999\""}};
  for (const auto& [words, text] : wrong) {
    const Ended ended = kinema(words);
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, HasSubstr(text));
  }
}

TEST(command_line, refuses_one_word_too_many_and_one_too_few) {
  EXPECT_THAT(kinema({"describe", "model", "a", "b"}).err, HasSubstr("one argument too many: got \"b\""));
  EXPECT_THAT(kinema({"describe", "model"}).err, HasSubstr("missing argument: expected name, got nothing"));
}

TEST(command_line, shows_its_version_and_help_on_stdout) {
  EXPECT_THAT(kinema({"--version"}).out, StartsWith("kinema "));
  const Ended help = kinema({"data", "clip", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("--stage"));
}

TEST(list, ends_in_one_line_break_whatever_it_shows) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list"},
                                                {"list", "metric"},
                                                {"list", "--json"},
                                                {"describe", "metric", "accuracy"},
                                                {"describe", "metric", "accuracy", "--json"}}) {
    const Ended ended = kinema(words);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_TRUE(ended.out.ends_with("\n")) << words[0];
    EXPECT_FALSE(ended.out.ends_with("\n\n")) << words[0];
  }
}

TEST(list, is_json_also_when_a_plugin_file_s_name_is_not_utf_8) {
  const test::Scratch plugins;
  test::spit(plugins / "bad\xff\xfename.so", "not a library");
  const nlohmann::json all = json_of(kinema({"list", "--json"}, plugins.path()));
  std::vector<std::string> refused;
  for (const nlohmann::json& library : all["libraries"])
    if (!library["loaded"]) refused.push_back(library["path"]);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_THAT(refused[0], HasSubstr("bad\xef\xbf\xbd\xef\xbf\xbdname.so"));
}

TEST(list, of_one_kind_holds_no_other) {
  for (const nlohmann::json& component : json_of(kinema({"list", "metric", "--json"}))["components"])
    EXPECT_EQ(component["kind"], "metric");
  const Ended mistyped = kinema({"list", "metrc"});
  EXPECT_EQ(mistyped.code, 2);
  EXPECT_THAT(mistyped.err, AllOf(HasSubstr("unknown kind: expected one of "), HasSubstr("\"metric\"?")));
}

TEST(describe, shows_options_with_type_default_and_help) {
  const nlohmann::json json = json_of(kinema({"describe", "metric", "accuracy", "--json"}));
  EXPECT_EQ(json["type"], "accuracy");
  ASSERT_EQ(json["options"].size(), 1u);
  EXPECT_EQ(json["options"][0]["name"], "k");
  EXPECT_EQ(json["options"][0]["default"], "[1, 5]");
  EXPECT_THAT(kinema({"describe", "metric", "accuracy"}).out, HasSubstr("metric accuracy: "));
}

TEST(describe, suggests_the_component_that_was_meant) {
  const Ended ended = kinema({"describe", "metric", "acuracy"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(
      ended.err,
      AllOf(HasSubstr(
                "unknown metric: expected one of accuracy, frame_map, mean_average_precision, mean_class"),
            HasSubstr("hint: did you mean \"accuracy\"?")));
}

}  // namespace
}  // namespace kinema::app
