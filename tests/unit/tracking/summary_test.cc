#include "framework/tracking/summary.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/scratch.h"

namespace kinema::tracking {
namespace {

using test::error_of;
using test::Scratch;
using test::slurp;
using test::spit;
using testing::HasSubstr;

TEST(summary, comes_back_as_written) {
  Scratch scratch;
  EXPECT_FALSE(read_summary(scratch.path()));
  write_summary(scratch.path(), {"running", std::nullopt, 0, 0, 0, 0, ""});
  EXPECT_FALSE(read_summary(scratch.path())->best);
  EXPECT_FALSE(read_summary(scratch.path())->evaluation);
  write_summary(scratch.path(), {"stopped", Summary::Best{"val/top1", 0.75, 3}, 4, 100, 1.5, 200.25,
                                 "patience", Summary::Evaluation{48, 47}});
  const Summary back = *read_summary(scratch.path());
  EXPECT_EQ(back.status, "stopped");
  EXPECT_EQ(back.best->metric, "val/top1");
  EXPECT_EQ(back.best->value, 0.75);
  EXPECT_EQ(back.best->epoch, 3);
  EXPECT_EQ(back.epochs, 4);
  EXPECT_EQ(back.steps, 100);
  EXPECT_EQ(back.wall_s, 1.5);
  EXPECT_EQ(back.peak_rss_mb, 200.25);
  EXPECT_EQ(back.reason, "patience");
  EXPECT_EQ(back.evaluation->clips, 48);
  EXPECT_EQ(back.evaluation->evaluated, 47);
}

TEST(summary, has_the_documented_keys_and_no_nan_literal) {
  Scratch scratch;
  write_summary(scratch.path(), {"failed", Summary::Best{"val/loss", std::nan(""), 1}, 1, 2, 3, 4, "x"});
  const auto json = nlohmann::json::parse(slurp(scratch / "summary.json"));
  for (const char* key :
       {"status", "best", "evaluation", "epochs", "steps", "wall_s", "peak_rss_mb", "reason"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_TRUE(json.at("best").at("value").is_null());
  EXPECT_TRUE(std::isnan(read_summary(scratch.path())->best->value));
}

TEST(summary, leaves_no_temporary_file_and_refuses_rubbish) {
  Scratch scratch;
  write_summary(scratch.path(), {});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
  spit(scratch / "summary.json", "{}");
  EXPECT_THAT(error_of([&] { read_summary(scratch.path()); }), HasSubstr("summary is malformed"));
}

TEST(summary, that_cannot_be_written_is_an_error_with_the_reason) {
  EXPECT_THAT(error_of([] { write_summary("/nonexistent", {}); }),
              HasSubstr("cannot open: No such file or directory"));
}

}  // namespace
}  // namespace kinema::tracking
