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

TEST_F(list, optical_flow_lies_under_the_path_of_an_item_or_its_path_without_extension) {
  for (const char* folder : {"flow/a", "flow/deep/b.avi", "flow/parts"})
    for (int i = 1; i <= 12; ++i)
      for (const char* name : {"flow_x_", "flow_y_"})
        write(folder + std::string("/") + name + (i < 10 ? "0000" : "000") + std::to_string(i) + ".jpg");
  const Entries flow = {{"modalities", list_of({"rgb", "flow"})},
                        {"flow_root", Value((root / "flow").string())}};
  const auto set = make(with("a.mp4 x\ndeep/b.avi y\nc.mp4 x\n", flow));
  EXPECT_THAT(keys(*set), ElementsAre("a.mp4", "deep/b.avi"));
  EXPECT_EQ(set->item(0).sources[0].video, root / "a.mp4");
  EXPECT_EQ(set->item(0).sources[1].pattern, root / "flow/a/flow_x_%05d.jpg");
  EXPECT_EQ(set->item(1).sources[1].pattern_down, root / "flow/deep/b.avi/flow_y_%05d.jpg");
  EXPECT_THAT(host->messages, ElementsAre(HasSubstr("1 of 3 items have no optical flow")));
  // A part of the pictures is the same part of the flow, whatever number each begins with.
  for (int i = 0; i < 13; ++i)
    write("parts/img_" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ".jpg");
  Entries parts = flow;
  parts.push_back({"columns", list_of({"path", "first", "last", "label"})});
  parts.push_back({"pictures", Value("img_%02d.jpg")});
  const Item part = make(with("parts 4 9 x\n", parts))->item(0);
  EXPECT_EQ(part.sources[0].first_number, 4);
  EXPECT_EQ(part.sources[1].first_number, 5);
  EXPECT_EQ(part.span.end, 6);
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
