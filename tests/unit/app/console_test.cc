#include "framework/app/console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "framework/app/json_text.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

using testing::HasSubstr;

struct Ended {
  int code;
  std::string out, err;
};

Ended run(const std::function<int()>& command) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = guarded(command);
  std::string out = testing::internal::GetCapturedStdout();
  return {code, std::move(out), testing::internal::GetCapturedStderr()};
}

TEST(console, an_error_s_kind_is_the_exit_code_and_its_text_is_printed_once) {
  for (const ErrorKind kind :
       {ErrorKind::run, ErrorKind::usage, ErrorKind::plugin, ErrorKind::data, ErrorKind::diverged}) {
    const Ended ended = run([&]() -> int { throw Error(kind, "here", "wrong: expected a, got b", "do c"); });
    EXPECT_EQ(ended.code, static_cast<int>(kind));
    EXPECT_EQ(ended.err, "here: wrong: expected a, got b\nhint: do c\n");
    EXPECT_EQ(ended.out, "");
  }
}

TEST(console, other_exceptions_are_a_failed_run_without_torch_s_stack_trace) {
  EXPECT_THAT(run([]() -> int { throw std::bad_alloc(); }).err, HasSubstr("out of memory"));
  const Ended torch = run(
      []() -> int { throw std::runtime_error("sizes differ\nException raised from somewhere at line 3"); });
  EXPECT_EQ(torch.code, 1);
  EXPECT_EQ(torch.err, "kinema: sizes differ\n");
  EXPECT_THAT(run([]() -> int { throw 3; }).err, HasSubstr("not an exception"));
}

TEST(console, a_command_s_own_code_is_passed_on) {
  const Ended ended = run([] {
    print("one");
    print("two\n");
    note("by the way");
    warn("mind");
    return 75;
  });
  EXPECT_EQ(ended.code, 75);
  EXPECT_EQ(ended.out, "one\ntwo\n");
  EXPECT_EQ(ended.err, "by the way\nwarning: mind\n");
}

TEST(json_text, takes_bytes_that_are_no_utf_8) {
  const nlohmann::ordered_json json = {{"path", "a\xff"}};
  EXPECT_EQ(json_line(json), "{\"path\":\"a\xef\xbf\xbd\"}");
  EXPECT_EQ(json_lines(json), "{\n  \"path\": \"a\xef\xbf\xbd\"\n}");
}

}  // namespace
}  // namespace kinema::app
