#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "framework/app/session.h"
#include "framework/eval/assembly.h"
#include "tests/e2e/project.h"

// A written list is the subset itself.
namespace kinema::e2e {
namespace {

using testing::HasSubstr;
using Overrides = std::vector<std::string>;

std::shared_ptr<Dataset> train_set(const Project& project, const Overrides& overrides) {
  const app::Session session = app::open_session(app::ExperimentArguments{project / "tiny.toml", overrides});
  const eval::Workshop workshop{session.experiment, *session.registry, {}, {}};
  return workshop.make<Dataset>(session.experiment.train_data, "data.train");
}

void expect_same_items(const Dataset& written, const Dataset& expected) {
  ASSERT_EQ(written.size(), expected.size());
  EXPECT_EQ(written.classes(), expected.classes());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Item a = written.item(i), b = expected.item(i);
    EXPECT_EQ(a.sources.at(0).video, b.sources.at(0).video);
    EXPECT_EQ(a.sources.at(0).pattern, b.sources.at(0).pattern);
    if (!b.sources[0].pattern.empty()) {
      EXPECT_EQ(a.sources[0].first_number, b.sources[0].first_number);
      EXPECT_EQ(a.sources[0].pattern_fps, b.sources[0].pattern_fps);
    }
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(a.target.label, b.target.label) << a.key;
    EXPECT_EQ(a.target.values, b.target.values) << a.key;
    EXPECT_EQ(a.weight, b.weight);
    EXPECT_EQ(a.span.unit, b.span.unit);
    EXPECT_EQ(a.span.begin, b.span.begin);
    EXPECT_EQ(a.span.end, b.span.end);
  }
}

void expect_written(const Project& project, const Overrides& data, const Overrides& choice,
                    const std::string& subset) {
  Overrides arguments = {"data", "subset", "tiny.toml"};
  arguments.insert(arguments.end(), data.begin(), data.end());
  arguments.insert(arguments.end(), choice.begin(), choice.end());
  arguments.insert(arguments.end(), {"--output", "small.csv"});
  const test::Finished run = project.kinema(arguments);
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.out, HasSubstr("[data.train]\ntype = \"list\""));
  const auto written = train_set(project, {"data.train=@" + (project / "small.csv.toml").string()});
  const auto whole = train_set(project, data);
  EXPECT_LT(written->size(), whole->size());
  // The same choice by the data set `subset` itself.
  const app::Session session = app::open_session(app::ExperimentArguments{project / "tiny.toml", data});
  const Value& of = *session.experiment.resolved.find("data")->find("train");
  expect_same_items(
      *written, *train_set(project, {"data.train={type=\"subset\"," + subset + ",of=" + of.text() + "}"}));
}

TEST(data_subset, the_written_list_gives_the_items_of_the_choice) {
  const Project project;
  expect_written(project, {}, {"--fraction", "0.5"}, "fraction=0.5");
  expect_written(project, {}, {"--per-class", "1", "--seed", "7"}, "per_class=1,seed=7");
  expect_written(project, {}, {"--representative", "0.25"}, "fraction=0.25,method=\"representative\"");
}

TEST(data_subset, keeps_parts_weights_keys_and_several_labels) {
  const Project project;
  std::string list;
  int i = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(project / "clips/train")) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().lexically_relative(project / "clips").string();
    for (int part = 0; part < 3; ++part, ++i)
      list += path + "," +
              (i % 5 == 0   ? ""
               : i % 2 == 0 ? "a;b"
                            : "\"c, \"\"d\"\"\"") +
              "," + std::to_string(0.1 * part) + "," + std::to_string(0.1 * part + 0.2) + "," +
              std::to_string(1 + 0.25 * part) + ",part " + std::to_string(i) + "\n";
  }
  project.write("parts.csv", list);
  expect_written(project,
                 {"data.train={type=\"list\",root=\"" + (project / "clips").string() + "\",list=\"" +
                  (project / "parts.csv").string() +
                  "\",separator=\"comma\","
                  "multi_label=true,label_separator=\";\",columns=[\"path\",\"label\",\"start_s\",\"end_s\","
                  "\"weight\",\"key\"],classes=[\"b\",\"a\",\"c, \\\"d\\\"\",\"unused\"]}"},
                 {"--fraction", "0.3"}, "fraction=0.3");
}

TEST(data_subset, keeps_folders_of_pictures) {
  const Project project;
  std::string list;
  for (int i = 0; i < 6; ++i) {
    const std::string folder = "frames/v" + std::to_string(i);
    std::filesystem::create_directories(project / folder);
    for (int k = 3; k < 9; ++k) project.write(folder + "/img_" + std::to_string(k) + ".jpg", "x");
    list += folder + " 3 " + std::to_string(5 + i % 3) + (i % 2 == 0 ? " up\n" : " down\n");
  }
  project.write("pictures.txt", list);
  const std::string data = "data.train={type=\"list\",root=\"" + project.folder().string() + "\",list=\"" +
                           (project / "pictures.txt").string() + "\",pictures=\"img_%d.jpg\",fps=12,";
  expect_written(project, {data + "columns=[\"path\",\"first\",\"last\",\"label\"]}"}, {"--per-class", "2"},
                 "per_class=2");
  expect_written(project, {data + "columns=[\"path\",\"skip\",\"skip\",\"label\"]}"}, {"--per-class", "2"},
                 "per_class=2");
}

TEST(data_subset, wants_one_way_to_choose) {
  const Project project;
  const test::Finished run = project.kinema({"data", "subset", "tiny.toml", "--output", "a.csv"});
  ASSERT_TRUE(ended(run, 2));
  EXPECT_THAT(run.err, HasSubstr("expected --fraction, --per-class or --representative, got none"));
  EXPECT_FALSE(std::filesystem::exists(project / "a.csv"));
}

}  // namespace
}  // namespace kinema::e2e
