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

TEST_F(frame_folder, optical_flow_is_no_row_of_pictures_of_its_own) {
  row("a/1", "img_0000", 1, 4);
  row("a/1", "flow_x_0000", 1, 4);  // as many, and first by byte order
  row("a/1", "flow_y_0000", 1, 4);
  const auto set = make();
  EXPECT_EQ(set->item(0).sources.size(), 1u);
  EXPECT_EQ(source(*set, 0), "a/1/img_%05d.jpg");
}

TEST_F(frame_folder, optical_flow_comes_beside_the_pictures_or_alone) {
  row("a/1", "img_0000", 1, 4);
  row("a/1", "flow_x_0000", 1, 3);
  row("a/1", "flow_y_0000", 1, 3);
  const auto both = make({{"modalities", list_of({"rgb", "flow"})}, {"fps", Value(12)}});
  ASSERT_EQ(both->item(0).sources.size(), 2u);
  EXPECT_EQ(both->item(0).sources[0].modality, "rgb");
  EXPECT_TRUE(both->item(0).sources[0].pattern_down.empty());
  const Source flow = both->item(0).sources[1];
  EXPECT_EQ(flow.modality, "flow");
  EXPECT_EQ(flow.pattern, root / "a/1/flow_x_%05d.jpg");
  EXPECT_EQ(flow.pattern_down, root / "a/1/flow_y_%05d.jpg");
  EXPECT_EQ(flow.first_number, 1);
  EXPECT_EQ(flow.pattern_fps, 12);
  const auto alone = make({{"modalities", list_of({"flow"})}});
  ASSERT_EQ(alone->item(0).sources.size(), 1u);
  EXPECT_EQ(alone->item(0).sources[0].modality, "flow");
  EXPECT_EQ(alone->item(0).span.end, 3);
  EXPECT_THAT(keys(*alone), ElementsAre("a/1"));
}

TEST_F(frame_folder, optical_flow_may_lie_elsewhere_and_be_called_otherwise) {
  row("rgb/a/1", "img_0000", 1, 4);
  row("rgb/a/2", "img_0000", 1, 4);
  row("flow/a/1", "u", 7, 9);
  row("flow/a/1", "v", 7, 9);
  const Entries where = {{"root", Value((root / "rgb").string())},
                         {"flow_root", Value((root / "flow").string())},
                         {"flow_x", Value("u%d.jpg")},
                         {"flow_y", Value("v%d.jpg")}};
  Entries both = where, alone = where;
  both.push_back({"modalities", list_of({"flow", "rgb"})});
  const auto set = make(both);
  EXPECT_THAT(keys(*set), ElementsAre("a/1"));
  EXPECT_EQ(set->item(0).sources[0].modality, "rgb");
  EXPECT_EQ(set->item(0).sources[1].pattern_down, root / "flow/a/1/v%d.jpg");
  EXPECT_EQ(set->item(0).sources[1].first_number, 7);
  EXPECT_THAT(host->messages,
              ElementsAre("frame_folder: 1 of 2 items have no optical flow (u%d.jpg and v%d.jpg) "
                          "and are left out: a/2"));
  alone.push_back({"modalities", list_of({"flow"})});
  EXPECT_EQ(make(alone)->item(0).sources[0].pattern, root / "flow/a/1/u%d.jpg");
}

TEST_F(frame_folder, optical_flow_that_lacks_more_than_its_last_picture_is_said) {
  row("a/1", "img_0000", 1, 6);
  row("a/1", "flow_x_0000", 1, 5);
  row("a/1", "flow_y_0000", 1, 4);
  EXPECT_EQ(make({{"modalities", list_of({"rgb", "flow"})}})->size(), 1u);
  EXPECT_THAT(host->messages, ElementsAre("frame_folder: 1 of 1 items have optical flow for a part of their "
                                          "frames, the others are not used: a/1"));
}

TEST_F(frame_folder, says_what_is_wrong_with_optical_flow) {
  row("a/1", "img_0000", 1, 4);
  const Value both = list_of({"rgb", "flow"});
  EXPECT_THAT(
      message({{"modalities", both}}),
      HasSubstr("none of the 1 items has optical flow: expected flow_x_%05d.jpg and flow_y_%05d.jpg for "
                "a/1, got none"));
  EXPECT_THAT(message({{"modalities", list_of({"flow"})}}),
              HasSubstr("expected root/class/video/flow_x_%05d.jpg and flow_y_%05d.jpg, got none"));
  EXPECT_THAT(message({{"modalities", both}, {"flow_root", Value("/nowhere")}}), HasSubstr("/nowhere"));
  EXPECT_THAT(message({{"modalities", both}, {"flow_x", Value("x_%s.jpg")}}, ErrorKind::usage),
              HasSubstr("expected one %d or %05d in it, got \"x_%s.jpg\""));
  EXPECT_THAT(message({{"modalities", both}, {"flow_x", Value("%d.jpg")}, {"flow_y", Value("%d.jpg")}},
                      ErrorKind::usage),
              HasSubstr("one picture for both directions"));
  EXPECT_THAT(message({{"modalities", list_of({"rgb", "rgb"})}}, ErrorKind::usage),
              HasSubstr("repeated modality: expected each once, got \"rgb\" twice"));
  EXPECT_THAT(message({{"flow_root", Value("x")}}, ErrorKind::usage),
              HasSubstr("a key without effect: expected \"flow\" in modalities beside flow_root"));
}

TEST_F(frame_folder, names_may_hold_a_percent_sign) {
  row("100%/50%d", "img_0000", 1, 4);
  row("100%/7", "5%_0000", 1, 2);
  const auto set = make();
  EXPECT_EQ(source(*set, 0), "100%/50%d/img_%05d.jpg");
  EXPECT_EQ(source(*set, 1), "100%/7/5%%_%05d.jpg");
  EXPECT_EQ(set->item(1).span.end, 2);
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
