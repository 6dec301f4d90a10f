#include "framework/app/text_table.h"

#include <gtest/gtest.h>

namespace kinema::app {
namespace {

TEST(text_table, puts_numbers_to_the_right_and_words_to_the_left) {
  EXPECT_EQ(text_table({{"file", "frames", "what"}, {"a.mp4", "12", "good"}, {"longer.mp4", "7", "bad"}}),
            "file        frames  what\na.mp4           12  good\nlonger.mp4       7  bad\n");
}

TEST(text_table, a_name_cannot_break_the_lines) {
  EXPECT_EQ(text_table({{"file", "n"}, {"a\nb\x1b[1m", "1"}}), "file     n\na?b?[1m  1\n");
}

TEST(text_table, letters_of_several_bytes_take_one_column) {
  EXPECT_EQ(text_table({{"\xC3\xA9", "x"}, {"ab", "y"}}), "\xC3\xA9   x\nab  y\n");
}

TEST(text_table, bytes_and_counts_read_well) {
  EXPECT_EQ(text_of_bytes(999), "999 bytes");
  EXPECT_EQ(text_of_bytes(12'345'678), "12.3 MB");
  EXPECT_EQ(counted(1, "file"), "1 file");
  EXPECT_EQ(counted(0, "file"), "0 files");
}

}  // namespace
}  // namespace kinema::app
