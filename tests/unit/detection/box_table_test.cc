#include "framework/detection/box_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/detection/label_map.h"
#include "tests/support/scratch.h"

namespace kinema::detection {
namespace {

using testing::HasSubstr;

class files : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    test::spit(scratch / "file", text);
    return scratch / "file";
  }
  std::string boxes_error(const std::string& text, BoxScore score = BoxScore::last_field) {
    const std::string file = write(text);
    return test::error_of([&] { read_boxes(file, {}, score); });
  }
  std::string labels_error(const std::string& text) {
    const std::string file = write(text);
    return test::error_of([&] { read_label_map(file); });
  }
  test::Scratch scratch;
};

TEST_F(files, boxes_come_in_the_order_of_the_file_without_rows_that_have_no_class) {
  const BoxTable table =
      read_boxes(write("\xEF\xBB\xBF"
                       "v,0902,0.1,0.2,0.3,0.4,12,0.5\r\nv,902,0,0,1,1,,0.9\nv,902,0,0,1,1,80,0.25\n\n"
                       "w\t3\t\"0\"\t0\t1\t1\t12\t1\n"),
                 {12, 80}, BoxScore::last_field);
  ASSERT_EQ(table.size(), 2u);
  const std::vector<ScoredBox>& frame = table.at({"v", 902});
  ASSERT_EQ(frame.size(), 2u);
  EXPECT_EQ(frame[0].action, 12);
  EXPECT_EQ(frame[0].y2, 0.4);
  EXPECT_EQ(frame[1].score, 0.25);
  EXPECT_EQ(table.at({"w", 3})[0].x2, 1);
}

TEST_F(files, boxes_of_unknown_classes_leave_an_empty_frame) {
  const BoxTable table = read_boxes(write("v,1,0,0,1,1,7,0.5\n"), {12}, BoxScore::last_field);
  EXPECT_TRUE(table.at({"v", 1}).empty());
}

TEST_F(files, bad_rows_are_named_with_their_lines_all_at_once) {
  const std::string text = boxes_error(
      "v,1,0,0,1,1,7,0.5\nv,1,0,0\nv,x,0,0,1,1,7,0.5\nv,1,0,nan,1,1,7,0.5\nv,1,0,0,1,1,seven,0.5\nv,1,0,0,1,"
      "1,7,high\n");
  EXPECT_THAT(text,
              HasSubstr(":2: too few fields: expected video,second,x1,y1,x2,y2,action,score, got 4 fields"));
  EXPECT_THAT(text, HasSubstr(":3: not a second: expected a whole number, got \"x\""));
  EXPECT_THAT(text, HasSubstr(":4: not a box: expected four numbers, got \"nan\""));
  EXPECT_THAT(text, HasSubstr(":5: not an action: expected its id, got \"seven\""));
  EXPECT_THAT(text, HasSubstr(":6: not a score: expected a number, got \"high\""));
  std::string many;
  for (int i = 0; i < 30; ++i) many += "x\n";
  EXPECT_THAT(boxes_error(many), HasSubstr("more bad lines: expected none, got 10 besides"));
  EXPECT_THAT(test::error_of([] { read_boxes("/no/such/file", {}, BoxScore::none); }),
              HasSubstr("cannot read the file"));
}

TEST_F(files, label_maps_come_in_both_spellings) {
  using Labels = std::map<std::int64_t, std::string>;
  EXPECT_EQ(read_label_map(write("item {\n  name: \"bend/bow (at the waist)\"\n  id: 1\n}\nitem { label_id: "
                                 "3 name: 'run' label_type: X }\n")),
            (Labels{{1, "bend/bow (at the waist)"}, {3, "run"}}));
}

TEST_F(files, bad_label_maps_are_refused_with_the_line) {
  EXPECT_THAT(labels_error("item {\n name: \"a\"\n}\n"), HasSubstr("an item that says too little"));
  EXPECT_THAT(labels_error("item { name: \"a\" id: 1 }\nitem { name: \"b\" id: 1 }"),
              HasSubstr(":2: an id given twice"));
  EXPECT_THAT(labels_error("item { name: \"a\" id: 0 }"),
              HasSubstr("expected a whole number from 1 on, got `0`"));
  EXPECT_THAT(labels_error("thing { }"), HasSubstr(":1: not a label map: expected `item`, got `thing`"));
  EXPECT_THAT(labels_error("item { name: \"a"), HasSubstr("a text without an end"));
  EXPECT_THAT(labels_error("item { name:"), HasSubstr("the list ends early"));
  EXPECT_THAT(labels_error("# nothing\n"), HasSubstr("no classes"));
}

TEST_F(files, frames_to_leave_out_are_pairs) {
  EXPECT_EQ(read_frames(write("v,0902\nw,3\n")), (std::set<FrameKey>{{"v", 902}, {"w", 3}}));
  const std::string file = write("v\n");
  EXPECT_THAT(test::error_of([&] { read_frames(file); }),
              HasSubstr(":1: not a frame: expected video,second, got \"v\""));
}

}  // namespace
}  // namespace kinema::detection
