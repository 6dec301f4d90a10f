#include "tests/support/dataset_test.h"

namespace kinema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ava : public test::DatasetTest {
 protected:
  ava() : DatasetTest("ava") { give_root = false; }
  void SetUp() override {
    DatasetTest::SetUp();
    write("map.pbtxt",
          "item {\n  name: \"stand\"\n  id: 12\n}\nlabel {\n  name: \"bend/bow (at the waist)\"\n  label_id: "
          "1\n"
          "  label_type: PERSON_MOVEMENT\n}\nitem {\n  name: \"talk to\"\n  id: 79\n}\n");
  }
  Entries with(const std::string& boxes, Entries more = {}) {
    Entries all = {{"frames_root", Value(root.string())},
                   {"label_map", Value((root / "map.pbtxt").string())},
                   {"boxes", list_of({write("boxes.csv", boxes)})}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(ava, key_frames_have_boxes_with_all_their_actions) {
  write("b/b_000000.jpg");
  const auto set =
      make(with("b,0903,0.1,0.2,0.5,0.9,79,1\nb,0902,0.1,0.2,0.5,0.9,12,0\nb,0902,0.1,0.2,0.5,0.9,1,0\n"
                "b,0902,0.6,0,1,1,12,1\na,0902,0,0,1,1,12,0\n"));
  EXPECT_THAT(set->classes(), ElementsAre("bend/bow (at the waist)", "stand", "talk to")) << "by id";
  EXPECT_THAT(keys(*set), ElementsAre("b,0902", "b,0903", "a,0902"));
  const Item item = set->item(0);
  ASSERT_EQ(item.target.boxes.size(), 2u);
  EXPECT_THAT(item.target.boxes[0].classes, ElementsAre(0, 1));
  EXPECT_THAT(item.target.boxes[1].classes, ElementsAre(1));
  EXPECT_EQ(item.target.boxes[0].x1, 0.1);
  EXPECT_EQ(item.target.boxes[0].y2, 0.9);
  EXPECT_EQ(item.target.label, -1);
  EXPECT_EQ(item.span.unit, Span::Unit::centre);
  EXPECT_EQ(item.span.begin, 60) << "(902 - 900) * 30";
  EXPECT_EQ(source(*set, 0), "b/b_%06d.jpg");
  EXPECT_EQ(item.sources[0].first_number, 0) << "seen in the folder";
  EXPECT_EQ(set->item(2).sources[0].first_number, 1);
  EXPECT_EQ(item.sources[0].pattern_fps, 30);
}

TEST_F(ava, videos_are_found_by_name_and_seconds_may_start_at_zero) {
  write("films/b.mkv");
  Entries entries = with("b,3,0,0,1,1,1\n", {{"root", Value(root.string())}, {"first_second", Value(0)}});
  entries.erase(entries.begin());
  const auto set = make(entries);
  EXPECT_EQ(source(*set, 0), "films/b.mkv");
  EXPECT_EQ(set->item(0).span.unit, Span::Unit::centre_seconds) << "whatever the video's rate";
  EXPECT_EQ(set->item(0).span.begin, 3);
  entries.emplace_back("fps", Value(25));
  EXPECT_THAT(message(entries, ErrorKind::usage),
              HasSubstr("a key without effect: expected fps beside frames_root"));
  EXPECT_THAT(message(with("b,3,0,0,1,1,1\n")),
              HasSubstr("1 key frames lie before the first frame: expected seconds from 900 on, got b,0003"));
}

TEST_F(ava, excluded_frames_and_other_seconds_are_left_out) {
  const std::string boxes =
      "a,0902,0,0,1,1,1,0\na,0903,0,0,1,1,1,0\nc,0950,0,0,1,1,1,0\nb,0904,0,0,1,1,1,0\n";
  const auto set = make(with(boxes, {{"exclusions", Value(write("out.csv", "a,0903\n"))},
                                     {"timestamps", Value(write("in.txt", "0902\n0903\n0904\n"))},
                                     {"videos", Value(write("videos.txt", "a.mkv\nb.mp4\nd.mp4\n"))}}));
  EXPECT_THAT(keys(*set), ElementsAre("a,0902", "b,0904"));
  EXPECT_THAT(
      host->messages,
      ElementsAre(testing::AllOf(HasSubstr("ava: 1 rows of seconds that are not included are left out: "),
                                 HasSubstr("boxes.csv:3")),
                  "ava: 2 of 4 videos have no box and are left out: d, c"));
}

TEST_F(ava, predicted_boxes_need_the_score) {
  const Value predicted = list_of({write("p.csv",
                                         "a,0902,0,0,0.5,1,,0.95\na,0902,0.5,0,1,1,-1,0.79\n"
                                         "b,0902,0,0,1,1,,0.1\n")});
  Entries alone = with("", {{"predicted_boxes", predicted}, {"use", Value("predicted")}});
  std::erase_if(alone, [](const auto& entry) { return entry.first == "boxes"; });
  const auto set = make(alone);
  ASSERT_THAT(keys(*set), ElementsAre("a,0902"));
  EXPECT_FALSE(set->item(0).target.truth);
  ASSERT_EQ(set->item(0).target.boxes.size(), 1u);
  EXPECT_EQ(set->item(0).target.boxes[0].score, 0.95);
  EXPECT_TRUE(set->item(0).target.boxes[0].classes.empty());
  EXPECT_THAT(host->messages, ElementsAre("ava: 1 of 2 videos have no box and are left out: b"));
  const auto both =
      make(with("a,0902,0,0,1,1,1,0\n",
                {{"predicted_boxes", predicted}, {"use", Value("both")}, {"score_threshold", Value(0.5)}}));
  EXPECT_EQ(both->item(0).target.boxes.size(), 3u);
  EXPECT_THAT(message(with("a,0902,0,0,1,1,1,0\n", {{"predicted_boxes", predicted}}), ErrorKind::usage),
              HasSubstr("a key without effect: expected use = \"predicted\" or \"both\""));
}

TEST_F(ava, predicted_boxes_are_measured_against_the_true_ones) {
  const Value predicted = list_of({write("p.csv", "a,0902,0,0,0.5,1,,0.95\nc,0902,0,0,1,1,,0.9\n")});
  for (const char* use : {"predicted", "both"}) {
    const auto set = make(with("a,0902,0,0,1,1,1,0\nb,0903,0,0,1,1,12,0\n",
                               {{"predicted_boxes", predicted}, {"use", Value(use)}}));
    ASSERT_THAT(keys(*set), ElementsAre("a,0902", "b,0903", "c,0902")) << "missed and false ones, too";
    const bool both = std::string(use) == "both";
    EXPECT_EQ(set->item(0).target.boxes.size(), both ? 2u : 1u);
    EXPECT_EQ(set->item(1).target.boxes.size(), both ? 1u : 0u);
    EXPECT_EQ(set->item(2).target.boxes.size(), 1u);
    ASSERT_EQ(set->item(0).target.truth->size(), 1u);
    EXPECT_EQ((*set->item(0).target.truth)[0].x2, 1);
    EXPECT_THAT((*set->item(1).target.truth)[0].classes, ElementsAre(1));
    EXPECT_TRUE(set->item(2).target.truth->empty()) << "nobody is there";
  }
  const auto truth = make(with("a,0902,0,0,1,1,1,0\n"));
  EXPECT_FALSE(truth->item(0).target.truth) << "the boxes themselves";
  EXPECT_EQ(truth->item(0).key_frame->video, "a");
  EXPECT_EQ(truth->item(0).key_frame->second, 902);
  EXPECT_THAT(dynamic_cast<const HasBoxes&>(*truth).class_ids(), ElementsAre(1, 12, 79));
}

TEST_F(ava, tables_by_hand_may_have_tabs_quotes_empty_actions_and_repeats) {
  const auto set =
      make(with("a\t902\t0\t0\t1\t1\t1\t0\r\n\"\"\"a\"\"\"\t902\t0\t0\t1\t1\t1\t0\r\n"
                "a\t903\t0\t0\t1\t1\t\t\"\"\"\"\"\"\r\na\t903\t0.5\t0\t0.5\t1\t1\t0\r\n"
                "a\t904\t-0.02\t0\t1.01\t1\t5\t0\r\n"));
  EXPECT_THAT(keys(*set), ElementsAre("a,0902", "a,0903", "a,0904"));
  EXPECT_TRUE(set->item(1).target.boxes[0].classes.empty());
  EXPECT_EQ(set->item(2).target.boxes[0].x1, 0);
  EXPECT_EQ(set->item(2).target.boxes[0].x2, 1);
  EXPECT_TRUE(set->item(2).target.boxes[0].classes.empty()) << "action 5 is not among the listed ones";
  const auto said = [](const char* text, const char* place) {
    return testing::AllOf(testing::StartsWith(std::string("ava: 1 ") + text), testing::EndsWith(place));
  };
  EXPECT_THAT(host->messages,
              ElementsAre(said("actions that the label map lacks are left out", "boxes.csv:5"),
                          said("boxes without action", "boxes.csv:3"),
                          said("boxes without area are left out", "boxes.csv:4"),
                          said("repeated rows count once", "boxes.csv:2")));
}

TEST_F(ava, bad_rows_are_all_named_with_their_number) {
  const std::string text =
      message(with("a,0902,0,0,1,1,1,0\na,0902,0,0,1,1\na,x,0,0,1,1,1,0\na,0902,10,20,300,400,1,0\n"
                   "a,0902,0,0,1,1,80,0\na,0902,0,0,1,1,walk,0\n../a,0902,0,0,1,1,1,0\n"));
  EXPECT_THAT(text, HasSubstr("boxes.csv:2: not a box: expected `video,second,x1,y1,x2,y2,action,person`"));
  EXPECT_THAT(text, HasSubstr("boxes.csv:3: not a box"));
  EXPECT_THAT(
      text, HasSubstr("boxes.csv:4: not a coordinate: expected a fraction of the frame, 0 to 1, got \"10\""));
  EXPECT_THAT(text,
              HasSubstr("boxes.csv:5: unknown action: expected an id of the label map, 1 to 79, got \"80\""));
  EXPECT_THAT(text, HasSubstr("boxes.csv:6: unknown action"));
  EXPECT_THAT(text, HasSubstr("boxes.csv:7: not a box"));
  write("map.pbtxt",
        "item {\n  name: \"a\"\n}\nitem {\n  id: one\n  name: \"a\"\n  id: 2\n}\nid: 3\nitem {\n");
  const std::string map = message(with("a,0902,0,0,1,1,1,0\n"));
  EXPECT_THAT(map, HasSubstr("map.pbtxt:3: an incomplete action: expected a name and an id, got no id"));
  EXPECT_THAT(map, HasSubstr("map.pbtxt:5: not a line of a label map"));
  EXPECT_THAT(map, HasSubstr("map.pbtxt:9: not a line of a label map"));
  EXPECT_THAT(map, HasSubstr("map.pbtxt:10: an open block"));
  EXPECT_THAT(message(with("a,0902,0,0,1,1,1,0\n", {{"root", Value(root.string())}}), ErrorKind::usage),
              HasSubstr("one of two keys: expected root (videos) or frames_root (pictures), got both"));
}

TEST_F(ava, reads_the_official_files) {
  const auto folder = real("annotations/ava");
  if (folder.empty()) GTEST_SKIP() << "no annotations/ava in KINEMA_REAL_DATA";
  const auto file = [&](const char* name) { return Value((folder / name).string()); };
  const auto official = [&](const char* map, Entries more = {}) {
    Entries entries = {{"frames_root", Value(root.string())},
                       {"label_map", file(map)},
                       {"boxes", list_of({(folder / "ava_val_v2.1_head27163.csv").string()})}};
    entries.insert(entries.end(), more.begin(), more.end());
    return make(entries);
  };
  const auto all = official("ava_action_list_v2.2.pbtxt");
  EXPECT_EQ(all->classes().size(), 80u);
  EXPECT_EQ(all->size(), 6470u);
  EXPECT_THAT(host->messages, ElementsAre());
  std::size_t rows = 0;
  for (std::size_t i = 0; i < all->size(); ++i)
    for (const LabelledBox& box : all->item(i).target.boxes) rows += box.classes.size();
  EXPECT_EQ(rows, 27163u) << "each row is one action of one box";
  const auto scored = official("ava_action_list_v2.2_for_activitynet_2019.pbtxt",
                               {{"exclusions", file("ava_val_excluded_timestamps_v2.1.csv")},
                                {"timestamps", file("ava_included_timestamps_v2.2.txt")},
                                {"videos", file("ava_file_names_trainval_v2.1.txt")}});
  EXPECT_EQ(scored->classes().size(), 60u);
  EXPECT_EQ(scored->size(), 6470u) << "the excluded key frames have no true boxes anyway";
  EXPECT_THAT(host->messages.back(), HasSubstr("291 of 299 videos have no box and are left out"));
}

TEST_F(ava, leaves_out_excluded_key_frames_of_real_tables) {
  const auto folder = real("annotations/ava/reference_map/official_val_2videos");
  if (folder.empty()) GTEST_SKIP() << "no annotations/ava in KINEMA_REAL_DATA";
  const Entries entries = {{"frames_root", Value(root.string())},
                           {"label_map", Value((folder / "../../ava_action_list_v2.2.pbtxt").string())},
                           {"boxes", list_of({(folder / "gt.csv").string()})}};
  Entries without = entries;
  without.emplace_back("exclusions", Value((folder / "exclusions_made.csv").string()));
  EXPECT_EQ(make(entries)->size() - make(without)->size(), 20u);
}

TEST_F(ava, reads_a_set_made_by_hand) {
  const auto folder = real("annotations/ava/custom_ethereal311");
  if (folder.empty()) GTEST_SKIP() << "no annotations/ava in KINEMA_REAL_DATA";
  const auto with_boxes = [&](const char* key, const char* name, Entries more = {}) {
    Entries entries = {{"frames_root", Value(root.string())},
                       {"label_map", Value((folder / "ava_action_list.pbtxt").string())},
                       {"first_second", Value(0)},
                       {key, list_of({(folder / name).string()})}};
    entries.insert(entries.end(), more.begin(), more.end());
    return make(entries);
  };
  EXPECT_EQ(with_boxes("boxes", "ava_train.csv")->size(), 88u);
  EXPECT_EQ(with_boxes("boxes", "ava_val.csv")->size(), 22u);
  EXPECT_THAT(host->messages, ElementsAre());
  const auto predicted =
      with_boxes("predicted_boxes", "val_predicted_boxes.tsv", {{"use", Value("predicted")}});
  EXPECT_EQ(predicted->size(), 22u);
  EXPECT_THAT(host->messages, ElementsAre(HasSubstr("22 repeated rows count once")));
  EXPECT_EQ(predicted->item(0).target.boxes.size(), 1u);
  EXPECT_EQ(with_boxes("predicted_boxes", "train_predicted_boxes.tsv", {{"use", Value("predicted")}})->size(),
            88u);
}

}  // namespace
}  // namespace kinema
