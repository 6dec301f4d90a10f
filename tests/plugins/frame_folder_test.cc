#include "tests/support/dataset_test.h"

namespace kinema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class frame_folder : public test::DatasetTest {
 protected:
  frame_folder() : DatasetTest("frame_folder") {}
  void row(const std::string& folder, const std::string& before, int first, int last) {
    for (int i = first; i <= last; ++i) write(folder + "/" + before + std::to_string(i) + ".jpg");
  }
};

TEST_F(frame_folder, names_and_first_numbers_are_seen_in_each_folder) {
  row("walk/b", "img_0000", 1, 4);
  row("walk/deep/c", "frame", 8, 12);
  row("run/a", "0", 0, 2);
  const auto set = make({{"fps", Value(12)}});
  EXPECT_THAT(set->classes(), ElementsAre("run", "walk"));
  EXPECT_THAT(keys(*set), ElementsAre("run/a", "walk/b", "walk/deep/c"));
  EXPECT_THAT(labels(*set), ElementsAre(0, 1, 1));
  EXPECT_EQ(source(*set, 0), "run/a/%02d.jpg");
  EXPECT_EQ(set->item(0).sources[0].first_number, 0);
  EXPECT_EQ(source(*set, 1), "walk/b/img_%05d.jpg");
  EXPECT_EQ(source(*set, 2), "walk/deep/c/frame%d.jpg");
  EXPECT_EQ(set->item(2).sources[0].first_number, 8);
  EXPECT_EQ(set->item(2).sources[0].pattern_fps, 12);
  EXPECT_EQ(set->item(2).span.end, 5);
  EXPECT_THAT(host->messages, ElementsAre());
}

TEST_F(frame_folder, a_given_name_chooses_among_several_rows) {
  row("a/1", "x_0000", 1, 6);
  row("a/1", "img_0000", 1, 3);
  EXPECT_EQ(source(*make(), 0), "a/1/x_%05d.jpg");
  EXPECT_EQ(source(*make({{"pictures", Value("img_%05d.jpg")}}), 0), "a/1/img_%05d.jpg");
  EXPECT_THAT(message({{"pictures", Value("img_%s.jpg")}}), HasSubstr("no pictures in the class folders"));
}

TEST_F(frame_folder, gaps_in_the_numbers_are_said) {
  row("a/1", "img_0000", 1, 3);
  row("a/1", "img_0000", 5, 6);
  EXPECT_EQ(make()->item(0).span.end, 3);
  EXPECT_THAT(host->messages,
              ElementsAre("frame_folder: 1 folders have gaps in their numbers, what follows a gap "
                          "is not used: a/1"));
}

TEST_F(frame_folder, holdout_and_classes_work_as_for_videos) {
  for (const char* name : {"a/1", "a/2", "b/1", "b/2"}) row(name, "0", 1, 2);
  const Value holdout = Value::table({{"fraction", Value(0.5)}});
  EXPECT_EQ(make({{"holdout", holdout}, {"subset", Value("test")}})->size(), 2u);
  EXPECT_THAT(make({{"classes", list_of({"b"})}})->classes(), ElementsAre("b"));
  EXPECT_THAT(message({{"classes", list_of({"c"})}}),
              HasSubstr("no folder for a class: expected one named \"c\", got none"));
  EXPECT_THAT(message({{"subset", Value("test")}}, ErrorKind::usage),
              HasSubstr("missing key: expected holdout"));
  EXPECT_THAT(message({{"exclude", list_of({"*"})}}), HasSubstr("no video is left"));
}

TEST_F(frame_folder, reads_a_real_set) {
  const auto folder = real("videos/frames/RaivoKoot_demo_dataset");
  if (folder.empty()) GTEST_SKIP() << "no videos/frames in KINEMA_REAL_DATA";
  const auto set = make({{"root", Value(folder.string())}});
  EXPECT_THAT(keys(*set), ElementsAre("jumping/0001", "jumping/0002", "running/0001", "running/0002"));
  EXPECT_EQ(set->item(0).span.end, 17);
  EXPECT_EQ(set->item(1).span.end, 18);
}

}  // namespace
}  // namespace kinema
