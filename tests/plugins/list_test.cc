#include "tests/support/dataset_test.h"

namespace kinema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class list : public test::DatasetTest {
 protected:
  list() : DatasetTest("list") {}
  Entries with(const std::string& text, Entries more = {}) {
    more.emplace_back("list", Value(write("list.txt", text)));
    return more;
  }
};

TEST_F(list, paths_may_contain_spaces_where_they_come_first) {
  const auto set = make(with("some  dir/a b.mp4 walk\nc.mp4\trun\n"));
  EXPECT_THAT(keys(*set), ElementsAre("some  dir/a b.mp4", "c.mp4"));
  EXPECT_THAT(set->classes(), ElementsAre("run", "walk"));
  EXPECT_THAT(labels(*set), ElementsAre(1, 0));
  EXPECT_THAT(make(with("a.mp4 z\nb.mp4 y\n", {{"order", Value("appearance")}}))->classes(),
              ElementsAre("z", "y"));
}

TEST_F(list, columns_say_what_stands_in_a_line) {
  const auto set = make(
      with("label,start,end,file,weight\nwalk,1.5,4,\"a, b.mp4\",0.5\n",
           {{"columns", list_of({"label", "start_s", "end_s", "path", "weight"})}, {"header", Value(true)}}));
  const Item item = set->item(0);
  EXPECT_EQ(item.key, "a, b.mp4");
  EXPECT_EQ(item.span.unit, Span::Unit::seconds);
  EXPECT_EQ(item.span.begin, 1.5);
  EXPECT_EQ(item.span.end, 4);
  EXPECT_EQ(item.weight, 0.5f);
  const auto parts =
      make(with("a.mp4 10 19 x\n", {{"columns", list_of({"path", "first", "last", "label"})}}));
  EXPECT_EQ(parts->item(0).span.begin, 10);
  EXPECT_EQ(parts->item(0).span.end, 20) << "the last frame belongs to the part";
}

TEST_F(list, folders_of_pictures_have_their_own_rates_and_first_numbers) {
  write("b/img_00000.jpg");
  const auto set =
      make(with("a 300 12.5 0\nb 20 30 1\n", {{"columns", list_of({"path", "frames", "fps", "label"})},
                                              {"pictures", Value("img_%05d.jpg")}}));
  EXPECT_EQ(source(*set, 0), "a/img_%05d.jpg");
  EXPECT_EQ(set->item(0).sources[0].first_number, 1);
  EXPECT_EQ(set->item(0).sources[0].pattern_fps, 12.5);
  EXPECT_EQ(set->item(0).span.end, 300);
  EXPECT_EQ(set->item(1).sources[0].first_number, 0) << "seen in the folder";
  const auto numbered = make(with("a 3 17 0\n", {{"columns", list_of({"path", "first", "last", "label"})},
                                                 {"pictures", Value("img_%05d.jpg")}}));
  EXPECT_EQ(numbered->item(0).sources[0].first_number, 3);
  EXPECT_EQ(numbered->item(0).span.begin, 0);
  EXPECT_EQ(numbered->item(0).span.end, 15);
}

TEST_F(list, items_may_have_several_labels_or_none) {
  const auto joined = make(with("a.mp4 2,0\nb.mp4 1\n", {{"multi_label", Value(true)}}));
  EXPECT_THAT(joined->item(0).target.values, ElementsAre(1, 0, 1));
  EXPECT_THAT(joined->item(1).target.values, ElementsAre(0, 1, 0));
  const auto apart = make(with("a.mp4 run walk\nb.mp4\n",
                               {{"multi_label", Value(true)}, {"columns", list_of({"path", "labels"})}}));
  EXPECT_THAT(apart->classes(), ElementsAre("run", "walk"));
  EXPECT_THAT(apart->item(1).target.values, ElementsAre(0, 0));
  EXPECT_EQ(apart->item(0).target.label, -1);
}

TEST_F(list, bad_lines_are_all_named_with_their_number) {
  const Value columns = list_of({"path", "first", "last", "label"});
  const std::string text =
      message(with("a.mp4 1 2 x\nb.mp4 1 x\nc.mp4 one 2 x\nd.mp4 3 2 x\n../e.mp4 1 2 x\nf.mp4 1 2 z\n",
                   {{"columns", columns}, {"classes", list_of({"x", "y"})}}));
  EXPECT_THAT(text, HasSubstr("list.txt:2: not a row: expected `path first last label`, got \"b.mp4 1 x\""));
  EXPECT_THAT(text, HasSubstr("list.txt:3: not a number: expected one in the column first, got \"one\""));
  EXPECT_THAT(text, HasSubstr("list.txt:4: not a part of a video, last before first: expected `path first "
                              "last label`, got \"d.mp4 3 2 x\""));
  EXPECT_THAT(text, HasSubstr("list.txt:5: a path that leaves root"));
  EXPECT_THAT(text, HasSubstr("list.txt:6: unknown class: expected one of the 2 classes, got \"z\""));
  EXPECT_THAT(text, testing::Not(HasSubstr("list.txt:1:")));
}

TEST_F(list, an_empty_label_is_a_bad_line_unless_items_may_have_none) {
  EXPECT_THAT(message(with("a.mp4,x\nb.mp4,\n")),
              HasSubstr("list.txt:2: no label: expected `path label`, got \"b.mp4,\""));
  const auto set = make(with("a.mp4\tx\nb.mp4\t\n", {{"multi_label", Value(true)}}));
  EXPECT_THAT(set->item(1).target.values, ElementsAre(0));
}

TEST_F(list, columns_that_make_no_sense_are_refused_all_at_once) {
  const std::string text = message(
      with("x\n", {{"columns", list_of({"file", "labels", "label", "last", "frames", "start_s", "last"})}}),
      ErrorKind::usage);
  EXPECT_THAT(text, HasSubstr("unknown column: expected one of path, label"));
  EXPECT_THAT(text, HasSubstr("a column after labels"));
  EXPECT_THAT(text, HasSubstr("repeated column: expected each once, got \"last\" twice"));
  EXPECT_THAT(text, HasSubstr("no path: expected a column \"path\", got none"));
  EXPECT_THAT(text, HasSubstr("expected last or frames, got both"));
  EXPECT_THAT(text, HasSubstr("expected frames or seconds, got both"));
  EXPECT_THAT(text, HasSubstr("expected multi_label = true beside the column labels"));
}

TEST_F(list, reads_a_real_list_of_folders_with_several_labels) {
  const auto folder = real("videos/frames/RaivoKoot_demo_dataset");
  if (folder.empty()) GTEST_SKIP() << "no videos/frames in KINEMA_REAL_DATA";
  const auto set = make({{"root", Value(folder.string())},
                         {"list", Value((folder / "annotations_multilabel.txt").string())},
                         {"columns", list_of({"path", "first", "last", "labels"})},
                         {"pictures", Value("img_%05d.jpg")},
                         {"multi_label", Value(true)},
                         {"missing", Value("skip")}});
  ASSERT_EQ(set->size(), 4u);
  EXPECT_THAT(set->item(0).target.values, ElementsAre(1, 0, 1, 0, 1));
  EXPECT_EQ(set->item(0).span.end, 17);
}

}  // namespace
}  // namespace kinema
