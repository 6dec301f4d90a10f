#include "framework/train/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/scratch.h"

namespace kinema::train {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class recorder : public testing::Test {
 protected:
  std::string text(const std::string& name) const { return test::slurp(scratch / name); }
  // Without the line that describes the file.
  std::vector<nlohmann::json> rows() const {
    std::istringstream lines(text("metrics.jsonl"));
    std::vector<nlohmann::json> list;
    for (std::string line; std::getline(lines, line);)
      if (const auto row = nlohmann::json::parse(line); row.contains("step")) list.push_back(row);
    return list;
  }
  static StepReport step(std::int64_t number, bool log) {
    StepReport report;
    report.step = report.epoch_step = number;
    report.total_steps = report.epoch_steps = 20;
    report.total_epochs = 1;
    report.loss = 0.5;
    report.lr = 0.1;
    report.log = log;
    return report;
  }
  test::Scratch scratch;
  const std::string folder = scratch.path();
};

TEST_F(recorder, writes_rows_for_logged_steps_and_epochs_and_lines_for_people) {
  {
    Recorder out(folder, std::nullopt, {});
    out.step(step(1, false));
    out.step(step(2, true));
    out.warn("clip left out");
    out.values(2, 0, {{"train/loss", 0.5}, {"val/top1", 0.25}});
  }
  const std::vector<nlohmann::json> written = rows();
  ASSERT_EQ(written.size(), 2u);
  EXPECT_EQ(written[0]["step"], 2);
  EXPECT_THAT(written[0].dump(), HasSubstr("\"lr\":0.1"));
  EXPECT_THAT(written[1].dump(), HasSubstr("\"val/top1\":0.25"));
  EXPECT_THAT(text("train.log"), HasSubstr("clip left out"));
  EXPECT_THAT(text("train.log"), HasSubstr("val/top1 0.2500"));
  EXPECT_TRUE(fs::exists(folder + "/metrics.csv"));
}

TEST_F(recorder, a_resumed_run_drops_the_rows_after_its_step) {
  {
    Recorder out(folder, std::nullopt, {});
    for (std::int64_t number = 1; number <= 4; ++number) out.step(step(number, true));
  }
  {
    Recorder out(folder, 2, {});
    out.step(step(3, true));
  }
  std::vector<std::int64_t> steps;
  for (const nlohmann::json& row : rows()) steps.push_back(row["step"].get<std::int64_t>());
  EXPECT_THAT(steps, testing::ElementsAre(1, 2, 3));
}

TEST_F(recorder, a_dry_run_writes_nothing) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  {
    Recorder out("", std::nullopt, {});
    out.step(step(1, true));
    out.info("hello");
  }
  fs::current_path(before);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(recorder, writes_the_newest_table_of_a_name) {
  Recorder out(folder, std::nullopt, {});
  out.table("per_class", {{"class", "items"}, {"a, b", "1"}});
  out.table("per_class", {{"class", "items"}, {"a, b", "2"}});
  EXPECT_EQ(text("per_class.csv"), "class,items\n\"a, b\",2\n");
  Recorder("", std::nullopt, {}).table("confusion", {});
  EXPECT_FALSE(fs::exists("confusion.csv"));
}

}  // namespace
}  // namespace kinema::train
