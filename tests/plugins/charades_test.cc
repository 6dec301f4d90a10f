#include "tests/support/dataset_test.h"

namespace kinema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class charades : public test::DatasetTest {
 protected:
  charades() : DatasetTest("charades") {}
  std::string list() {
    return write("train.csv",
                 "original_vido_id video_id frame_id path labels\n"
                 "46GP8 0 0 46GP8/46GP8-000001.jpg \"\"\n"
                 "46GP8 0 1 46GP8/46GP8-000002.jpg \"2,0\"\n"
                 "46GP8 0 2 46GP8/46GP8-000003.jpg \"2\"\n"
                 "N11GT 1 0 N11GT/N11GT-000000.jpg \"\"\n");
  }
  Entries with(Entries more) {
    Entries all = {{"list", Value(list())}, {"num_classes", Value(3)}, {"missing", Value("keep")}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(charades, a_video_has_the_classes_of_all_its_frames) {
  const auto set = make(with({}));
  EXPECT_THAT(set->classes(), ElementsAre("c000", "c001", "c002"));
  EXPECT_THAT(keys(*set), ElementsAre("46GP8", "N11GT"));
  const Item item = set->item(0);
  EXPECT_THAT(item.target.values, ElementsAre(1, 0, 1));
  EXPECT_EQ(item.target.label, -1);
  EXPECT_EQ(source(*set, 0), "46GP8/46GP8-%06d.jpg");
  EXPECT_EQ(item.sources[0].first_number, 1);
  EXPECT_EQ(item.sources[0].pattern_fps, 24);
  EXPECT_EQ(item.span.end, 3);
  EXPECT_THAT(set->item(1).target.values, ElementsAre(0, 0, 0));
  EXPECT_EQ(set->item(1).sources[0].first_number, 0);
}

TEST_F(charades, says_when_each_class_is_there) {
  const auto set = make(with({}));
  const auto timed = set->item(0).target.timed;
  ASSERT_EQ(timed.size(), 3u);
  const auto is = [](const TimedLabel& t, std::int64_t label, double begin, double end) {
    return t.label == label && t.span.unit == Span::Unit::frames && t.span.begin == begin &&
           t.span.end == end;
  };
  EXPECT_TRUE(is(timed[0], 2, 1, 2) || is(timed[0], 0, 1, 2));
  EXPECT_TRUE(is(timed[2], 2, 2, 3));
  EXPECT_TRUE(set->item(1).target.timed.empty());
}

TEST_F(charades, windows_have_the_classes_of_their_own_frames) {
  const auto set = make(with({{"window", Value(2)}, {"window_step", Value(1)}}));
  EXPECT_THAT(keys(*set), ElementsAre("46GP8:0", "46GP8:1", "N11GT:0"));
  EXPECT_EQ(set->item(1).span.begin, 1);
  EXPECT_EQ(set->item(1).span.end, 3);
  EXPECT_THAT(set->item(0).target.values, ElementsAre(1, 0, 1));
  EXPECT_EQ(set->item(2).span.end, 1) << "a video shorter than a window is one item";
  const auto apart = make(with({{"window", Value(2)}}));
  EXPECT_THAT(keys(*apart), ElementsAre("46GP8:0", "46GP8:1", "N11GT:0"))
      << "the last window ends with the video";
}

TEST_F(charades, bad_rows_are_all_named_with_their_number) {
  const std::string text = message(
      {{"num_classes", Value(3)},
       {"list",
        Value(write("bad.csv",
                    "a 0 0 a/1.jpg \"\"\na 0 1 a/3.jpg \"\"\na 0 2 b/3.jpg \"\"\n"
                    "a 0 3 a/4.jpg \"3\"\na 0 4 a/5.jpg\nc 1 0 c/x.jpg \"1\"\nc 1 0 ../1.jpg \"1\"\n"))}});
  EXPECT_THAT(text, HasSubstr("bad.csv:2: pictures of a are not in order: expected a/2.jpg, got a/3.jpg"));
  EXPECT_THAT(text, HasSubstr("bad.csv:3: pictures of a are not in order: expected a/3.jpg, got b/3.jpg"));
  EXPECT_THAT(text, HasSubstr("bad.csv:4: bad labels: expected class numbers 0 to 2 with commas, got \"3\""));
  EXPECT_THAT(text, HasSubstr("bad.csv:5: not a frame: expected `video id frame path \"labels\"`"));
  EXPECT_THAT(text, HasSubstr("bad.csv:6: not a numbered picture"));
  EXPECT_THAT(text, HasSubstr("bad.csv:7: a path that leaves root"));
}

TEST_F(charades, official_rows_are_videos_with_actions_in_seconds) {
  write("46GP8.mp4");
  const Value list(
      write("official.csv",
            "id,subject,script,actions,length\n46GP8,HR43,\"A person, cooking.\",c002 0.00 1.00;c000 "
            "1.90 4.00,4.50\nN11GT,X,none,,2\n"));
  const Entries entries = {{"list", list}, {"num_classes", Value(3)}, {"missing", Value("keep")}};
  const auto set = make(entries);
  EXPECT_THAT(keys(*set), ElementsAre("46GP8", "N11GT"));
  EXPECT_EQ(source(*set, 0), "46GP8.mp4");
  EXPECT_EQ(set->item(0).span.unit, Span::Unit::whole);
  EXPECT_THAT(set->item(0).target.values, ElementsAre(1, 0, 1));
  Entries windows = entries;
  windows.insert(windows.end(), {{"window", Value(48)}, {"fps", Value(24)}});
  const auto parts = make(windows);
  EXPECT_THAT(keys(*parts), ElementsAre("46GP8:0", "46GP8:48", "46GP8:60", "N11GT:0"));
  EXPECT_THAT(parts->item(0).target.values, ElementsAre(1, 0, 1));
  EXPECT_THAT(parts->item(1).target.values, ElementsAre(1, 0, 0));
  EXPECT_EQ(parts->item(1).span.unit, Span::Unit::seconds);
  EXPECT_EQ(parts->item(1).span.end, 4);
  const std::string text =
      message({{"num_classes", Value(3)},
               {"list", Value(write("bad.csv", "id,actions,length\na,c003 0 1,5\nb,c0 0 1\n"))}});
  EXPECT_THAT(text, HasSubstr("bad.csv:2: not an action: expected `c000 begin end` with a class below 3"));
  EXPECT_THAT(text, HasSubstr("bad.csv:3: not a video: expected a row of 3 columns as in the header"));
}

TEST_F(charades, class_names_may_come_from_a_file) {
  const auto set =
      make(with({{"classes_file", Value(write("c.txt", "c000 Holding\nc001 Opening\nc002 Closing\n"))}}));
  EXPECT_THAT(set->classes(), ElementsAre("c000 Holding", "c001 Opening", "c002 Closing"));
}

}  // namespace
}  // namespace kinema
