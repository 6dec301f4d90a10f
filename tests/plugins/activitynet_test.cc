#include "tests/support/dataset_test.h"

namespace kinema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class activitynet : public test::DatasetTest {
 protected:
  activitynet() : DatasetTest("activitynet") {}
};

TEST_F(activitynet, each_segment_of_the_official_json_is_an_item_in_seconds) {
  write("v_abc.mp4");
  write("sub/def.mkv");
  const Value list(write("anet.json", R"({"version": "1.3", "taxonomy": [], "database": {
    "abc": {"duration": 82.7, "subset": "training", "url": "https://example.org/abc",
            "annotations": [{"segment": [6.5, 77.25], "label": "Zumba"}, {"segment": [78, 80], "label": "Ballet"},
                            {"segment": [5, 5], "label": "Ballet"}]},
    "def": {"subset": "validation", "annotations": [{"segment": ["1.5", 2], "label": "Ballet"}]},
    "ghi": {"subset": "testing", "annotations": []}, "jkl": {"subset": "training", "annotations": []}}})"));
  const auto train = make({{"list", list}, {"subset", Value("training")}});
  EXPECT_THAT(train->classes(), ElementsAre("Ballet", "Zumba"));
  EXPECT_THAT(keys(*train), ElementsAre("abc:6.5-77.25s", "abc:78-80s"));
  EXPECT_THAT(labels(*train), ElementsAre(1, 0));
  EXPECT_EQ(train->item(0).span.unit, Span::Unit::seconds);
  EXPECT_EQ(train->item(0).span.begin, 6.5);
  EXPECT_EQ(train->item(0).span.end, 77.25);
  EXPECT_EQ(source(*train, 0), "v_abc.mp4");
  EXPECT_THAT(host->messages, ElementsAre("activitynet: 1 empty segments are left out",
                                          "activitynet: 1 videos without annotation are left out"));
  const auto val = make({{"list", list}, {"subset", Value("validation")}, {"whole_videos", Value(true)}});
  EXPECT_EQ(source(*val, 0), "sub/def.mkv");
  EXPECT_EQ(val->item(0).span.unit, Span::Unit::whole);
  EXPECT_THAT(message({{"list", list}, {"subset", Value("train")}}),
              HasSubstr("unknown subset: expected one of testing, training, validation, got \"train\""));
}

TEST_F(activitynet, mmaction2_files_have_no_database_around_them) {
  const Value list(
      write("anno.json", R"({"v_1": {"duration_second": 211.5, "duration_frame": 6337, "fps": 29.9,
    "annotations": [{"segment": [30.0, 205.1], "label": "Rock climbing"}]}})"));
  const auto set = make({{"list", list}, {"missing", Value("keep")}});
  EXPECT_EQ(source(*set, 0), "v_1.mp4");
  EXPECT_EQ(set->item(0).span.end, 205.1);
}

TEST_F(activitynet, tables_of_3d_resnets_count_frames_from_one) {
  write("run/v_b/image_00001.jpg");
  const Value list(write("3dr.json", R"({"labels": ["walk", "run"], "database": {
    "v_a": {"subset": "training", "annotations": {"label": "walk", "segment": [1, 166]}},
    "v_b": {"subset": "training", "annotations": {"label": "run", "segment": [11, 21]}},
    "v_c": {"subset": "training", "annotations": {"label": "run", "segment": [1, 1]}},
    "v_d": {"subset": "testing", "annotations": {}}}})"));
  const auto set = make({{"list", list}, {"pictures", Value("image_%05d.jpg")}, {"missing", Value("keep")}});
  EXPECT_THAT(set->classes(), ElementsAre("walk", "run")) << "in the order of the file";
  ASSERT_EQ(set->size(), 2u);
  EXPECT_EQ(source(*set, 0), "v_a/image_%05d.jpg");
  EXPECT_EQ(source(*set, 1), "run/v_b/image_%05d.jpg");
  EXPECT_EQ(set->item(1).span.unit, Span::Unit::frames);
  EXPECT_EQ(set->item(1).span.begin, 10);
  EXPECT_EQ(set->item(1).span.end, 20);
}

TEST_F(activitynet, bad_entries_are_all_named_with_their_line) {
  const Value list(write("bad.json",
                         "{\"labels\": [\"a\", \"a\"], \"database\": {\n"
                         "\"v\": {\"annotations\": [{\"segment\": [3, 2], \"label\": \"a\"}]},\n"
                         "\"w\": {\"annotations\": [{\"segment\": [1, 2]}]},\n"
                         "\"x\": 7}}"));
  const std::string text = message({{"list", list}});
  EXPECT_THAT(text, HasSubstr("bad.json:1: repeated class: expected each name once, got \"a\" twice"));
  EXPECT_THAT(text, HasSubstr("bad.json:2: not a segment: expected [begin, end] of \"v\""));
  EXPECT_THAT(text, HasSubstr("bad.json:3: no label: expected a class name of a segment of \"w\""));
  EXPECT_THAT(text, HasSubstr("bad.json:4: not a video: expected a table for \"x\", got integer"));
  EXPECT_THAT(message({{"list", Value(write("up.json", R"({"../v": {"annotations": [{"label": "a"}]}})"))}}),
              HasSubstr("up.json:1: a path that leaves root"));
  EXPECT_THAT(message({{"list", Value(write("cut.json", "{\"v\":\n {"))}}),
              HasSubstr("cut.json:2: not JSON"));
}

}  // namespace
}  // namespace kinema
