#include "framework/tracking/log.h"

#include <gmock/gmock.h>

#include "tests/support/scratch.h"

namespace kinema::tracking {
namespace {

using test::error_of;
using test::Scratch;
using test::slurp;
using testing::HasSubstr;
using testing::MatchesRegex;

TEST(log, lines_carry_time_and_level_and_are_on_disk_at_once) {
  Scratch scratch;
  Log log(scratch / "train.log");
  log.info("start {}");
  EXPECT_THAT(slurp(scratch / "train.log"),
              MatchesRegex("[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+\\.[0-9]+Z info    start \\{\\}\n"));
  log.warn("w");
  log.error("e");
  const std::string text = slurp(scratch / "train.log");
  EXPECT_THAT(text, HasSubstr("Z warning w\n"));
  EXPECT_THAT(text, HasSubstr("Z error   e\n"));
}

TEST(log, several_lines_each_get_their_head_and_control_characters_are_escaped) {
  Scratch scratch;
  Log log(scratch / "train.log");
  log.info("one\ntwo\x1b[31m\r\n");
  const std::string text = slurp(scratch / "train.log");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_THAT(text, HasSubstr("info    two\\x1b[31m\\x0d\n"));
}

TEST(log, a_resumed_run_appends) {
  Scratch scratch;
  Log(scratch / "train.log").info("first");
  Log(scratch / "train.log").info("second");
  EXPECT_THAT(slurp(scratch / "train.log"), HasSubstr("first"));
}

TEST(log, prints_nothing_itself) {
  Scratch scratch;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Log log(scratch / "train.log");
  log.error("x");
  Log().error("y");
  EXPECT_EQ(testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr(), "");
}

TEST(log, a_full_disk_loses_lines_but_does_not_throw) {
  testing::internal::CaptureStderr();
  Log log("/dev/full");
  log.info("x");
  EXPECT_EQ(log.lost_lines(), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(log, that_cannot_be_opened_is_an_error) {
  Scratch scratch;
  EXPECT_THAT(error_of([&] { Log log(scratch.path()); }), HasSubstr("cannot open the log"));
}

}  // namespace
}  // namespace kinema::tracking
