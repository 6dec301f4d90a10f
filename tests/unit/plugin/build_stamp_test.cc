#include "framework/plugin/build_stamp.h"

#include <gtest/gtest.h>

#include "kinema/version.h"

namespace kinema::plugin {
namespace {

BuildStamp stamp(const std::string& text) { return parse_stamp("kinema-stamp;" + text + "end").value(); }

TEST(build_stamp, of_the_host_says_what_must_agree) {
  ASSERT_NE(host_stamp().find("sdk"), nullptr);
  EXPECT_EQ(*host_stamp().find("sdk"), KINEMA_SDK_VERSION);
  for (const char* key : {"torch", "compiler", "cxx11_abi", "std_debug", "sanitize"})
    EXPECT_NE(host_stamp().find(key), nullptr) << key;
}

TEST(build_stamp, lists_every_difference) {
  EXPECT_EQ(stamp_differences(stamp("sdk=0.1;torch=2.11.0;cxx11_abi=1;"),
                              stamp("sdk=0.2;torch=2.10.0;cxx11_abi=0;")),
            "expected sdk 0.1, got 0.2; expected torch 2.11.0, got 2.10.0; expected cxx11_abi 1, got 0");
}

TEST(build_stamp, reports_facts_that_only_one_side_knows) {
  EXPECT_EQ(stamp_differences(stamp("torch=2.11.0;"), stamp("speed=high;")),
            "expected torch 2.11.0, got none; expected no speed, got high");
}

TEST(build_stamp, accepts_another_minor_of_the_sdk_from_1_0_on) {
  EXPECT_EQ(stamp_differences(stamp("sdk=1.4;"), stamp("sdk=1.2;")), "");
  EXPECT_EQ(stamp_differences(stamp("sdk=1.4;"), stamp("sdk=2.4;")), "expected sdk 1.4, got 2.4");
  EXPECT_EQ(stamp_differences(stamp("sdk=0.1;"), stamp("sdk=0.1.3;")), "");
  EXPECT_NE(stamp_differences(stamp("sdk=0.1;"), stamp("sdk=0.11;")), "");
}

TEST(build_stamp, refuses_text_of_another_form) {
  for (const char* text : {"", "kinema-stamp;", "kinema-stamp;end;", "kinema-stamp;a=1;",
                           "kinema-stamp;a;end", "kinema-stamp;=1;end", "other-stamp;a=1;end",
                           "kinema-stamp;a=1;a=2;end", "kinema-stamp;a=\x1b[31m;end"})
    EXPECT_FALSE(parse_stamp(text)) << text;
  EXPECT_TRUE(parse_stamp("kinema-stamp;end"));
}

}  // namespace
}  // namespace kinema::plugin
