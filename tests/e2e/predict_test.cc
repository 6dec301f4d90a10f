#include <nlohmann/json.hpp>

#include <sstream>

#include "tests/e2e/project.h"

namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// A run on the tiny clips, once for all tests of this program. What it predicts is of no interest.
class trained : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    project_ = new Project;
    ASSERT_TRUE(ended(project_->train(), 0));
  }
  static void TearDownTestSuite() {
    delete project_;
    project_ = nullptr;
  }
  const Project& project = *project_;
  std::string checkpoint() const { return project.last_checkpoint().string(); }
  static Project* project_;
};
Project* trained::project_ = nullptr;

std::vector<nlohmann::json> lines_of(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST_F(trained, model_prints_scores_of_the_best_classes) {
  const test::Finished run =
      project.kinema({"predict", checkpoint(), "clips/test/left/000.mp4", "--top", "2"});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.out, testing::MatchesRegex("clips/test/left/000.mp4\n *[0-9.]+ %  [a-z]+\n *[0-9.]+ %  "
                                             "[a-z]+\n"));
}

TEST_F(trained, model_predicts_the_others_when_one_video_is_bad_and_ends_with_4) {
  project.write("mixed/a.mp4", text_of(project / "clips/test/left/000.mp4"));
  project.write("mixed/b.mp4", "no video at all");
  project.write("mixed/c.mp4", text_of(project / "clips/test/up/000.mp4"));
  const test::Finished run = project.kinema({"predict", checkpoint(), "mixed", "--json"});
  ASSERT_TRUE(ended(run, 4));
  const auto lines = lines_of(run.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["top"].size(), 4u);
  EXPECT_EQ(lines[1]["video"], "mixed/b.mp4");
  EXPECT_EQ(lines[1]["top"].size(), 0u);
  EXPECT_NE(lines[1]["problem"], "");
  EXPECT_EQ(lines[2]["top"].size(), 4u);
  EXPECT_THAT(run.err, HasSubstr("some videos could not be read"));
  EXPECT_THAT(run.err, HasSubstr("mixed/b.mp4: "));
}

TEST_F(trained, model_says_which_videos_are_not_there) {
  const test::Finished run = project.kinema({"predict", checkpoint(), "nowhere.mp4", "clips/nor_here"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(run.err, HasSubstr("nowhere.mp4: no such video"));
  EXPECT_THAT(run.err, HasSubstr("clips/nor_here: no such video"));
}

TEST_F(trained, model_says_when_a_folder_holds_no_video) {
  fs::create_directories(project / "empty");
  const test::Finished run = project.kinema({"predict", checkpoint(), "empty"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(run.err, HasSubstr("empty: no videos"));
}

TEST_F(trained, model_evaluates_to_the_metrics_that_training_printed) {
  nlohmann::json row;  // the last epoch's
  for (const nlohmann::json& line : lines_of(text_of(project.newest_run() / "metrics.jsonl")))
    if (line.dump().find("val/top1") != std::string::npos) row = line;
  const nlohmann::json trained = row.contains("values") ? row["values"] : row;
  for (const std::vector<std::string>& subject :
       {std::vector<std::string>{checkpoint()}, {"tiny.toml", "--checkpoint", checkpoint()}}) {
    std::vector<std::string> arguments = {"eval", "--json"};
    arguments.insert(arguments.begin() + 1, subject.begin(), subject.end());
    const test::Finished run = project.kinema(arguments);
    ASSERT_TRUE(ended(run, 0));
    const nlohmann::json result = nlohmann::json::parse(run.out);
    EXPECT_EQ(result["items"], 8);
    for (const char* name : {"val/top1", "val/top5", "val/mean_class", "val/loss"})
      EXPECT_EQ(result[name], trained[name]) << name;
  }
}

TEST_F(trained, model_shows_how_each_class_came_off) {
  const test::Finished run =
      project.kinema({"eval", checkpoint(), "--per-class", "--confusion", "confusion.csv"});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.out,
              testing::ContainsRegex("class +items +recall +precision +f1 +most confused with\ndown +2 "));
  EXPECT_THAT(text_of(project / "confusion.csv"),
              testing::StartsWith("true \\ predicted,down,left,right,up\ndown,"));
  const test::Finished json =
      project.kinema({"eval", checkpoint(), "--json", "--confusion", "confusion.json"});
  ASSERT_TRUE(ended(json, 0));
  const nlohmann::json result = nlohmann::json::parse(json.out);
  EXPECT_EQ(nlohmann::json::parse(text_of(project / "confusion.json")), result["confusion"]);
  EXPECT_EQ(result["confusion"]["classes"], nlohmann::json({"down", "left", "right", "up"}));
  double right = 0, mean = 0;
  for (std::size_t c = 0; c < 4; ++c) {
    right += result["confusion"]["matrix"][c][c].get<double>();
    mean += result["per_class"][c]["recall"].get<double>() / 4;
    EXPECT_EQ(result["per_class"][c]["items"], 2);
  }
  EXPECT_DOUBLE_EQ(right / 8, result["val/top1"].get<double>());
  EXPECT_DOUBLE_EQ(mean, result["val/mean_class"].get<double>());
}

TEST_F(trained, run_folder_holds_the_tables_of_its_last_evaluation) {
  const test::Finished run = project.kinema({"eval", checkpoint(), "--confusion", "again.csv"});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_EQ(text_of(project.newest_run() / "confusion.csv"), text_of(project / "again.csv"));
  EXPECT_THAT(text_of(project.newest_run() / "per_class.csv"),
              testing::StartsWith("class,items,recall,precision,f1,most_confused_with,confused\ndown,2,"));
}

TEST_F(trained, model_says_that_it_knows_no_such_format_before_it_evaluates) {
  const test::Finished run = project.kinema({"eval", checkpoint(), "--confusion", "table.xlsx"});
  ASSERT_TRUE(ended(run, 2));
  EXPECT_THAT(run.err,
              HasSubstr("--confusion: unknown format: expected a file that ends in .csv or .json, got "
                        "\"table.xlsx\""));
}

TEST_F(trained, model_puts_views_together_as_the_file_says) {
  const auto loss_and_top1 = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"eval", checkpoint(), "--json", "clip.eval.temporal_views=3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const test::Finished run = project.kinema(arguments);
    EXPECT_TRUE(ended(run, 0));
    const nlohmann::json result = nlohmann::json::parse(run.out);
    return std::pair(result["val/loss"].get<double>(), result["val/top1"].get<double>());
  };
  const auto mean = loss_and_top1({});
  EXPECT_EQ(loss_and_top1({"eval.views=sum"}), mean) << "the order of scores is the same";
  EXPECT_EQ(loss_and_top1({"eval.views=max", "eval.scores=logits"}).first, mean.first)
      << "the loss is of the views";
}

TEST_F(trained, model_evaluates_with_changes) {
  const test::Finished one = project.kinema({"eval", checkpoint(), "--json"});
  const test::Finished two = project.kinema({"eval", checkpoint(), "clip.eval.temporal_views=2", "--json"});
  ASSERT_TRUE(ended(one, 0));
  ASSERT_TRUE(ended(two, 0));
  EXPECT_NE(nlohmann::json::parse(one.out)["val/loss"], nlohmann::json::parse(two.out)["val/loss"]);
}

TEST_F(trained, model_evaluates_what_can_be_read_and_reports_the_rest) {
  fs::copy(project / "clips/test", project / "clips/part", fs::copy_options::recursive);
  cut(project / "clips/part/left/000.mp4", 0.3);
  const test::Finished run = project.kinema({"eval", checkpoint(), "data.val.root=clips/part", "--json"});
  ASSERT_TRUE(ended(run, 0));
  const nlohmann::json result = nlohmann::json::parse(run.out);
  EXPECT_EQ(result["items"], 8);
  EXPECT_EQ(result["clips"], 8);
  EXPECT_EQ(result["unreadable"], 1);
  EXPECT_THAT(run.err, HasSubstr("left/000.mp4"));
}

TEST_F(trained, model_is_not_evaluated_on_other_classes) {
  const test::Finished run =
      project.kinema({"eval", checkpoint(), "data.val.classes=[\"left\",\"down\",\"right\",\"up\"]"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(run.err, HasSubstr("the classes of checkpoint and data.val differ: expected"));
}

TEST_F(trained, weights_alone_do_not_say_what_they_are) {
  const test::Finished run = project.kinema({"predict", "clips", "clips/test/left/000.mp4"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(run.err, HasSubstr("clips"));
}

}  // namespace
}  // namespace kinema::e2e
