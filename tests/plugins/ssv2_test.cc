#include "tests/support/dataset_test.h"

namespace kinema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ssv2 : public test::DatasetTest {
 protected:
  ssv2() : DatasetTest("ssv2") {}
  void SetUp() override {
    DatasetTest::SetUp();
    write(
        "labels/something-something-v2-labels.json",
        R"({"Approaching something with your camera":"0", "Holding something":"2", "Dropping something":"1"})");
    write("labels/something-something-v2-train.json", R"([
{"id":"78687","label":"holding potato","template":"Holding [something]","placeholders":["potato"]},
{"id":"4","label":"dropping a pen","template":"Dropping something"}])");
    write("labels/test.json", R"([{"id":"1420"},{"id":9}])");
  }
};

TEST_F(ssv2, labels_are_the_templates_without_brackets) {
  const auto train = make();
  EXPECT_THAT(train->classes(), ElementsAre("Approaching something with your camera", "Dropping something",
                                            "Holding something"));
  EXPECT_THAT(labels(*train), ElementsAre(2, 1)) << "placeholders may be wanting";
  EXPECT_THAT(keys(*train), ElementsAre("78687", "4"));
  EXPECT_EQ(source(*train, 0), "78687.webm");
}

TEST_F(ssv2, the_test_list_has_no_labels) {
  const auto test = make({{"subset", Value("test")}});
  EXPECT_THAT(keys(*test), ElementsAre("1420", "9"));
  EXPECT_THAT(labels(*test), ElementsAre(-1, -1));
  EXPECT_EQ(test->classes().size(), 3u);
}

TEST_F(ssv2, videos_may_be_folders_of_pictures_named_after_them) {
  std::filesystem::create_directories(root / "20bn-something-something-v2");
  const auto set = make({{"pictures", Value("{id}_%06d.jpg")}});
  EXPECT_EQ(source(*set, 0), "20bn-something-something-v2/78687/78687_%06d.jpg");
  EXPECT_EQ(set->item(0).sources[0].pattern_fps, 12);
}

TEST_F(ssv2, bad_entries_are_all_named_with_their_line) {
  const std::string list = write("bad.json",
                                 "[\n{\"id\":\"1\",\"template\":\"Holding [somthing]\"},\n{\"id\":\"2\"},\n"
                                 "{\"template\":\"Holding something\"},\n{\"id\":\"../3\"}]");
  const std::string text = message({{"list", Value(list)}});
  EXPECT_THAT(text, HasSubstr("bad.json:2: unknown class: expected one of the 3 classes, got \"Holding "
                              "somthing\""));
  EXPECT_THAT(text, HasSubstr("did you mean \"Holding something\"?"));
  EXPECT_THAT(text, HasSubstr("bad.json:3: no template: expected one for video 2, got none"));
  EXPECT_THAT(text, HasSubstr("bad.json:4: not a video: expected a table with an id"));
  EXPECT_THAT(text, HasSubstr("bad.json:5: not a video"));
  write("labels/something-something-v2-labels.json", R"({"a":"0", "b":"2"})");
  EXPECT_THAT(message(), HasSubstr("labels.json: labels with a gap: expected 1, got 2"));
}

TEST_F(ssv2, knows_the_174_classes) {
  const auto folder = real("annotations/ssv2");
  if (folder.empty()) GTEST_SKIP() << "no annotations/ssv2 in KINEMA_REAL_DATA";
  const auto set = make({{"subset", Value("test")}, {"labels", Value((folder / "label_map.txt").string())}});
  ASSERT_EQ(set->classes().size(), 174u);
  EXPECT_EQ(set->classes()[0], "Approaching something with your camera");
}

}  // namespace
}  // namespace kinema
