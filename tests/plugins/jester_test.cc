#include "tests/support/dataset_test.h"

namespace kinema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class jester : public test::DatasetTest {
 protected:
  jester() : DatasetTest("jester") {}
  void SetUp() override {
    DatasetTest::SetUp();
    write("annotations/jester-v1-labels.csv", "Swiping Left\nThumb Up\nDoing other things\n");
    write("annotations/jester-v1-train.csv", "34870;Thumb Up\r\n56557;Swiping Left\r\n");
    write("annotations/jester-v1-test.csv", "7\n8;\n");
  }
};

TEST_F(jester, rows_name_folders_of_pictures_and_classes) {
  std::filesystem::create_directories(root / "20bn-jester-v1");
  const auto train = make();
  EXPECT_THAT(train->classes(), ElementsAre("Swiping Left", "Thumb Up", "Doing other things"));
  EXPECT_THAT(labels(*train), ElementsAre(1, 0));
  EXPECT_THAT(keys(*train), ElementsAre("34870", "56557"));
  EXPECT_EQ(source(*train, 0), "20bn-jester-v1/34870/%05d.jpg");
  EXPECT_EQ(train->item(0).sources[0].first_number, 1);
  EXPECT_EQ(train->item(0).sources[0].pattern_fps, 12);
}

TEST_F(jester, the_test_list_has_no_labels) {
  const auto test = make({{"subset", Value("test")}});
  EXPECT_THAT(labels(*test), ElementsAre(-1, -1));
}

TEST_F(jester, bad_rows_are_all_named_with_their_number) {
  const std::string text =
      message({{"list", Value(write("bad.csv", "1;Thumb Up\n2\n3;Thumb up\n../4;Thumb Up\n5;a;b\n"))}});
  EXPECT_THAT(text, HasSubstr("bad.csv:2: not a row: expected `id;label`, got \"2\""));
  EXPECT_THAT(text, HasSubstr("bad.csv:3: unknown class: expected one of the 3 classes, got \"Thumb up\""));
  EXPECT_THAT(text, HasSubstr("bad.csv:4: not a row"));
  EXPECT_THAT(text, HasSubstr("bad.csv:5: not a row"));
}

TEST_F(jester, knows_the_27_classes) {
  const auto folder = real("annotations/jester");
  if (folder.empty()) GTEST_SKIP() << "no annotations/jester in KINEMA_REAL_DATA";
  const auto set = make({{"labels", Value((folder / "label_map.txt").string())}});
  EXPECT_EQ(set->classes().size(), 27u);
  EXPECT_THAT(labels(*set), testing::Each(testing::Ge(0)));
}

}  // namespace
}  // namespace kinema
