#include "framework/tracking/metrics_file.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/scratch.h"

namespace kinema::tracking {
namespace {

using test::error_of;
using test::Scratch;
using test::slurp;
using test::spit;
using testing::HasSubstr;
using testing::SizeIs;

MetricsRow row_at(std::int64_t step, double loss) {
  return {step, step / 2, "train", 1.5, {{"train/loss", loss}}};
}

std::vector<std::int64_t> steps(const std::string& folder) {
  std::vector<std::int64_t> steps;
  for (const MetricsRow& row : read_metrics(folder)) steps.push_back(row.step);
  return steps;
}

TEST(metrics_file, writes_a_schema_line_and_then_one_object_a_line) {
  Scratch scratch;
  MetricsFile(scratch.path()).append(row_at(2, 0.1));
  EXPECT_EQ(slurp(scratch / "metrics.jsonl"),
            "{\"schema\":1}\n"
            R"({"step":2,"epoch":1,"split":"train","time":1.5,"train/loss":0.1})"
            "\n");
  EXPECT_EQ(slurp(scratch / "metrics.csv"), "step,epoch,split,time,train/loss\n2,1,train,1.5,0.1\n");
}

TEST(metrics_file, csv_gets_the_union_of_columns) {
  Scratch scratch;
  MetricsFile file(scratch.path());
  file.append(row_at(1, 0.5));
  file.append({1, 1, "val", 2, {{"val/top1", 0.25}, {"a,\"b\"", 1}}});
  file.append(row_at(2, 0.25));
  EXPECT_EQ(slurp(scratch / "metrics.csv"),
            "step,epoch,split,time,train/loss,val/top1,\"a,\"\"b\"\"\"\n"
            "1,0,train,1.5,0.5,,\n"
            "1,1,val,2,,0.25,1\n"
            "2,1,train,1.5,0.25,,\n");
}

TEST(metrics_file, holds_no_nan_literal_and_gives_non_finite_numbers_back) {
  Scratch scratch;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  MetricsFile(scratch.path())
      .append({1, 0, "train", 1, {{"a", std::nan("")}, {"b", -kInfinity}, {"c", 0.1}}});
  EXPECT_THAT(slurp(scratch / "metrics.jsonl"),
              HasSubstr(R"("a":null,"b":null,"c":0.1,"non_finite":{"a":"nan","b":"-inf"}})"));
  EXPECT_THAT(slurp(scratch / "metrics.csv"), HasSubstr("nan,-inf,0.1\n"));
  const auto rows = read_metrics(scratch.path());
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_TRUE(std::isnan(rows[0].values[0].second));
  EXPECT_EQ(rows[0].values[1].second, -kInfinity);
}

TEST(metrics_file, every_torn_end_is_repaired_and_appending_goes_on) {
  Scratch scratch;
  {
    MetricsFile file(scratch.path());
    for (int step = 1; step <= 3; ++step) file.append(row_at(step, 0.5));
  }
  const std::string whole = slurp(scratch / "metrics.jsonl");
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    spit(scratch / "metrics.jsonl", whole.substr(0, length));
    MetricsFile file(scratch.path());
    file.append(row_at(9, 0.1));
    const auto left = steps(scratch.path());
    ASSERT_EQ(left.back(), 9);
    const auto lines =
        static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<long>(length), '\n'));
    // A row whose line end alone is missing is whole.
    ASSERT_GE(left.size() + 1, std::max<std::size_t>(lines, 1) + 1) << length;
    ASSERT_EQ(std::count(left.begin(), left.end(), 9), 1);
    ASSERT_THAT(slurp(scratch / "metrics.csv"), HasSubstr("\n9,4,train,1.5,0.1\n"));
  }
}

TEST(metrics_file, a_resume_removes_the_steps_that_will_be_done_again) {
  Scratch scratch;
  {
    MetricsFile file(scratch.path());
    for (int step = 1; step <= 5; ++step) file.append(row_at(step, 0.5));
  }
  MetricsFile file(scratch.path(), 3);
  EXPECT_EQ(file.removed_rows(), 2);
  file.append(row_at(4, 0.25));
  EXPECT_THAT(steps(scratch.path()), testing::ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(slurp(scratch / "metrics.csv"), testing::EndsWith("\n3,1,train,1.5,0.5\n4,2,train,1.5,0.25\n"));
}

TEST(metrics_file, a_damaged_line_is_removed_and_counted) {
  Scratch scratch;
  spit(scratch / "metrics.jsonl", "{\"schema\":1}\nrubbish\n{\"step\":\"x\"}\n" +
                                      std::string(R"({"step":1,"epoch":0,"split":"train","time":1})") + "\n");
  MetricsFile file(scratch.path());
  EXPECT_EQ(file.damaged_lines(), 2);
  EXPECT_THAT(steps(scratch.path()), testing::ElementsAre(1));
}

TEST(metrics_file, a_newer_schema_or_another_file_is_refused) {
  Scratch scratch;
  spit(scratch / "metrics.jsonl", "{\"schema\":2}\n");
  EXPECT_THAT(error_of([&] { MetricsFile file(scratch.path()); }),
              HasSubstr("metrics schema is too new: expected at most 1, got 2"));
  spit(scratch / "metrics.jsonl", "hello\n");
  EXPECT_THAT(error_of([&] { MetricsFile file(scratch.path()); }),
              HasSubstr("not a metrics file: expected {\"schema\":1} in the first line"));
}

TEST(metrics_file, a_value_named_like_a_column_is_refused) {
  Scratch scratch;
  MetricsFile file(scratch.path());
  for (const std::string name : {"step", "non_finite", ""})
    EXPECT_THAT(error_of([&] {
                  file.append({1, 0, "train", 1, {{name, 1}}});
                }),
                HasSubstr("bad name"))
        << name;
  EXPECT_THAT(error_of([&] {
                file.append({1, 0, "train", 1, {{"a", 1}, {"a", 1}}});
              }),
              HasSubstr("bad name"));
}

TEST(metrics_file, an_absent_history_has_no_rows) {
  Scratch scratch;
  EXPECT_THAT(read_metrics(scratch.path()), SizeIs(0));
}

}  // namespace
}  // namespace kinema::tracking
