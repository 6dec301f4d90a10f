#include "framework/data/canvas.h"

#include <gtest/gtest.h>

namespace kinema::data {
namespace {

constexpr Colour kBlack = {0, 0, 0}, kWhite = {255, 255, 255};

std::string rows_of(const Canvas& canvas) {
  std::string text;
  for (int i = 0; i < canvas.size().width * canvas.size().height; ++i) {
    if (i > 0 && i % canvas.size().width == 0) text += '\n';
    text += canvas.data()[3 * i] > 127 ? '#' : '.';
  }
  return text;
}

TEST(canvas, writes_letters_of_three_by_five_dots) {
  Canvas canvas({14, 10}, kBlack);
  canvas.write(0, 0, "t1", kWhite);
  EXPECT_EQ(rows_of(canvas),
            "######....##..\n######....##..\n..##....####..\n..##....####..\n..##......##..\n"
            "..##......##..\n..##......##..\n..##......##..\n..##....######\n..##....######");
}

TEST(canvas, leaves_out_what_lies_outside) {
  Canvas canvas({4, 3}, kBlack);
  canvas.outline(-2, 1, 3, 9, kWhite);
  EXPECT_EQ(rows_of(canvas), "....\n###.\n..#.");
  const std::uint8_t white[] = {255, 255, 255};
  canvas.paste(3, -1, white, {1, 1}, {5, 2});
  EXPECT_EQ(rows_of(canvas), "...#\n###.\n..#.");
  canvas.write(-3, -3, "\xFFW", kWhite);
}

TEST(canvas, scales_by_the_nearest_pixel) {
  Canvas canvas({6, 2}, kBlack);
  const std::uint8_t pair[] = {255, 255, 255, 0, 0, 0};
  canvas.paste(1, 0, pair, {2, 1}, {4, 2});
  EXPECT_EQ(rows_of(canvas), ".##...\n.##...");
}

}  // namespace
}  // namespace kinema::data
