#include "tests/support/dataset_test.h"

namespace kinema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class hmdb51 : public test::DatasetTest {
 protected:
  hmdb51() : DatasetTest("hmdb51") {}
  void SetUp() override {
    DatasetTest::SetUp();
    write("wave_test_split1.txt", "w_1.avi 1 \r\nw_2.avi 2 \r\nw_3.avi 0 \r\n");
    write("brush_hair_test_split1.txt", "b_1.avi 2 \nb_2.avi 1 \nb;3!(x).avi 1 \n");
  }
};

TEST_F(hmdb51, tags_tell_train_test_and_neither) {
  const auto train = make();
  EXPECT_THAT(train->classes(), ElementsAre("brush_hair", "wave"));
  EXPECT_THAT(keys(*train), ElementsAre("brush_hair/b_2.avi", "brush_hair/b;3!(x).avi", "wave/w_1.avi"));
  EXPECT_THAT(labels(*train), ElementsAre(0, 0, 1));
  EXPECT_THAT(keys(*make({{"subset", Value("test")}})), ElementsAre("brush_hair/b_1.avi", "wave/w_2.avi"));
  EXPECT_THAT(host->messages[0], HasSubstr("there are lists for 2 classes instead of 51"));
}

TEST_F(hmdb51, bad_lines_and_absent_lists_are_named) {
  write("wave_test_split1.txt", "w_1.avi 1\nw_2.avi\nw_3.avi 3\nup/w.avi 1\n");
  const std::string text = message();
  for (const char* line : {":2", ":3", ":4"})
    EXPECT_THAT(text, HasSubstr(std::string("wave_test_split1.txt") + line +
                                ": not a clip: expected `file.avi tag` with tag 0, 1 or 2, got"));
  write("wave_test_split2.txt", "w_1.avi 1\n");
  EXPECT_THAT(message({{"split", Value(2)}}),
              HasSubstr("a class without its list: expected brush_hair_test_split2.txt, got none"));
  EXPECT_THAT(message({{"split", Value(3)}}),
              HasSubstr("no lists: expected files like brush_hair_test_split3.txt, got none"));
  EXPECT_THAT(message({{"root", Value("/nonexistent")}}), HasSubstr("expected the unpacked HMDB51 videos"));
}

TEST_F(hmdb51, reads_the_official_lists) {
  const auto folder = real("annotations/hmdb51/testTrainMulti_7030_splits");
  if (folder.empty()) GTEST_SKIP() << "no annotations/hmdb51 in KINEMA_REAL_DATA";
  for (int split = 1; split <= 3; ++split)
    for (const auto& [subset, count] : {std::pair{"train", 3570u}, {"test", 1530u}}) {
      const auto set =
          make({{"annotations", Value(folder.string())}, {"split", Value(split)}, {"subset", Value(subset)}});
      EXPECT_EQ(set->size(), count);
      ASSERT_EQ(set->classes().size(), 51u);
      EXPECT_EQ(set->classes()[50], "wave");
    }
  EXPECT_THAT(host->messages, ElementsAre());
}

}  // namespace
}  // namespace kinema
