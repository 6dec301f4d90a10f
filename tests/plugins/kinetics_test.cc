#include "tests/support/dataset_test.h"

namespace kinema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class kinetics : public test::DatasetTest {
 protected:
  kinetics() : DatasetTest("kinetics") {}
  std::string official() {
    return write("train.csv",
                 "label,youtube_id,time_start,time_end,split,is_cc\n"
                 "\"air drumming\",--nQbRBEz2s,104,114,train,0\n"
                 "abseiling,0wR5jVB-WPk,417,427,train,0\n"
                 "\"petting animal (not cat)\",3caPS4FHFF8,36.0,46.0,val,\n");
  }
};

TEST_F(kinetics, official_rows_find_their_files_flat_or_in_folders) {
  write("--nQbRBEz2s_000104_000114.mkv");
  write("abseiling/0wR5jVB-WPk_000417_000427.mp4");
  write("val/petting_animal/3caPS4FHFF8_000036_000046.webm");
  const auto set = make({{"list", Value(official())}});
  EXPECT_THAT(set->classes(), ElementsAre("abseiling", "air drumming", "petting animal (not cat)"));
  EXPECT_THAT(labels(*set), ElementsAre(1, 0, 2));
  EXPECT_EQ(source(*set, 0), "--nQbRBEz2s_000104_000114.mkv");
  EXPECT_EQ(source(*set, 1), "abseiling/0wR5jVB-WPk_000417_000427.mp4");
  EXPECT_EQ(source(*set, 2), "val/petting_animal/3caPS4FHFF8_000036_000046.webm");
  EXPECT_EQ(set->item(1).key, "0wR5jVB-WPk_000417_000427");
  EXPECT_THAT(host->messages, ElementsAre());
  EXPECT_THAT(keys(*make({{"list", Value(official())}, {"split", Value("val")}})),
              ElementsAre("3caPS4FHFF8_000036_000046"));
}

TEST_F(kinetics, missing_files_are_left_out_and_said_once) {
  write("0wR5jVB-WPk_000417_000427.mp4");
  const auto set = make({{"list", Value(official())}});
  EXPECT_THAT(keys(*set), ElementsAre("0wR5jVB-WPk_000417_000427"));
  EXPECT_EQ(set->classes().size(), 3u) << "labels do not depend on what was downloaded";
  EXPECT_THAT(host->messages, ElementsAre("kinetics: 2 of 3 items have no file and are left out: "
                                          "--nQbRBEz2s_000104_000114.mp4, 3caPS4FHFF8_000036_000046.mp4"));
  EXPECT_THAT(host->missing_files,
              ElementsAre("--nQbRBEz2s_000104_000114.mp4", "3caPS4FHFF8_000036_000046.mp4"));
  EXPECT_EQ(make({{"list", Value(official())}, {"missing", Value("keep")}})->size(), 3u);
  std::filesystem::remove(root / "0wR5jVB-WPk_000417_000427.mp4");
  EXPECT_THAT(
      message({{"list", Value(official())}}),
      HasSubstr("none of the 3 items has a file: expected --nQbRBEz2s_000104_000114.mp4, got nothing"));
}

TEST_F(kinetics, classes_follow_the_alphabet_the_list_or_a_map) {
  const Value list(official());
  EXPECT_THAT(make({{"list", list}, {"missing", Value("keep")}, {"order", Value("appearance")}})->classes(),
              ElementsAre("air drumming", "abseiling", "petting animal (not cat)"));
  const Value map(write("map.txt", "zumba\npetting animal (not cat)\nair drumming\nabseiling\n"));
  EXPECT_THAT(labels(*make({{"list", list}, {"missing", Value("keep")}, {"label_map", map}})),
              ElementsAre(2, 3, 1));
  const Value test(write("test.csv", "youtube_id,time_start,time_end,split\n--6bJUbfpnQ,17,27,test\n"));
  EXPECT_THAT(labels(*make({{"list", test}, {"missing", Value("keep")}, {"label_map", map}})),
              ElementsAre(-1));
  EXPECT_THAT(message({{"list", test}, {"missing", Value("keep")}}),
              HasSubstr("test.csv: no labels and no classes: expected at least one of them, got neither"));
}

TEST_F(kinetics, bad_rows_are_all_named_with_their_number) {
  const std::string text = message(
      {{"list", Value(write("bad.csv",
                            "label,youtube_id,time_start,time_end,split\na,id,1,2,train\na,id,1\n"
                            "a,../x,1,2,train\n,id,1,2,train\n\"a,id,1,2,train\na,id,one,2,train\n"))}});
  EXPECT_THAT(text, HasSubstr("bad.csv:3: not a row: expected 5 columns as in the header, got \"a,id,1\""));
  EXPECT_THAT(text, HasSubstr("bad.csv:4: not a clip: expected an id and two times in seconds"));
  EXPECT_THAT(text, HasSubstr("bad.csv:5: no label: expected a class name"));
  EXPECT_THAT(text, HasSubstr("bad.csv:6: not a row"));
  EXPECT_THAT(text, HasSubstr("bad.csv:7: not a clip"));
  EXPECT_THAT(text, testing::Not(HasSubstr("bad.csv:2")));
}

TEST_F(kinetics, lists_of_paths_split_at_the_last_white_space_or_comma) {
  const Value keep("keep");
  const auto spaces =
      make({{"list", Value(write("a.csv", "some dir/a b.mp4 1\nc.mp4 0\n"))}, {"missing", keep}});
  EXPECT_THAT(keys(*spaces), ElementsAre("some dir/a b.mp4", "c.mp4"));
  EXPECT_THAT(labels(*spaces), ElementsAre(1, 0));
  EXPECT_THAT(labels(*make({{"list", Value(write("b.csv", "a b.mp4,1\nc.mp4,0\n"))}, {"missing", keep}})),
              ElementsAre(1, 0));
  EXPECT_THAT(message({{"list", Value(write("c.csv", "a.mp4 1\nb.mp4\n../c.mp4 1\n"))}}),
              testing::AllOf(HasSubstr("c.csv:2: no label"), HasSubstr("c.csv:3: a path that leaves root")));
}

TEST_F(kinetics, lists_that_count_from_one_are_recognised_and_said) {
  const Value map(write("map.txt", "x\ny\n"));
  const Value list(write("a.csv", "a.mp4 1\nb.mp4 2\n"));
  EXPECT_THAT(labels(*make({{"list", list}, {"label_map", map}, {"missing", Value("keep")}})),
              ElementsAre(0, 1));
  EXPECT_THAT(host->messages,
              ElementsAre("kinetics: labels 1 to 2 for 2 classes: they are taken as counted from 1"));
}

TEST_F(kinetics, raw_frame_lists_name_folders_of_pictures) {
  const auto set = make({{"list", Value(write("f.txt", "walk/a 300 1\nrun/b 12 0\n"))},
                         {"missing", Value("keep")},
                         {"first_number", Value(0)}});
  const Item item = set->item(1);
  EXPECT_EQ(source(*set, 1), "run/b/img_%05d.jpg");
  EXPECT_EQ(item.sources[0].first_number, 0);
  EXPECT_EQ(item.sources[0].pattern_fps, 30);
  EXPECT_EQ(item.span.unit, Span::Unit::frames);
  EXPECT_EQ(item.span.end, 12);
  EXPECT_EQ(item.key, "run/b");
  EXPECT_THAT(labels(*set), ElementsAre(1, 0));
  EXPECT_THAT(
      message({{"list", Value(write("g.txt", "a 0 1\nb x 1\n"))}, {"format", Value("raw_frames")}}),
      testing::AllOf(HasSubstr("g.txt:1: not a folder of pictures"), HasSubstr("g.txt:2: not a folder")));
}

TEST_F(kinetics, reads_the_official_lists) {
  const auto folder = real("annotations/kinetics");
  if (folder.empty()) GTEST_SKIP() << "no annotations/kinetics in KINEMA_REAL_DATA";
  const Value keep("keep");
  const auto val = make({{"list", Value((folder / "kinetics-400_val.csv").string())}, {"missing", keep}});
  EXPECT_EQ(val->size(), 19906u);
  EXPECT_EQ(val->classes().size(), 400u);
  const Value map((folder / "label_map_400.txt").string());
  const auto mapped = make(
      {{"list", Value((folder / "kinetics-400_val.csv").string())}, {"missing", keep}, {"label_map", map}});
  EXPECT_EQ(mapped->classes(), val->classes()) << "the order of the released weights is the alphabet";
  const auto test = make(
      {{"list", Value((folder / "kinetics-400_test.csv").string())}, {"missing", keep}, {"label_map", map}});
  EXPECT_EQ(test->size(), 38685u);
  for (const auto& [name, count] : {std::pair{"label_map_600.txt", 600u}, {"label_map_700.txt", 700u}})
    EXPECT_EQ(make({{"list", Value(write("one.csv", "a.mp4 0\n"))},
                    {"missing", keep},
                    {"label_map", Value((folder / name).string())}})
                  ->classes()
                  .size(),
              count);
}

}  // namespace
}  // namespace kinema
