#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/project.h"

// The commands under `kinema data` that look at whole data sets.
namespace kinema::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

TEST(data_check, finds_nothing_wrong_with_good_clips) {
  const Project project;
  const test::Finished run = project.kinema({"data", "check", "clips", "--json"});
  ASSERT_TRUE(ended(run, 0));
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["summary"]["files"], 24);
  EXPECT_EQ(json["summary"]["usable"], 24);
  const Json& first = json["files"][0];
  EXPECT_EQ(first["frames"], 10);
  EXPECT_EQ(first["codec"], "h264");
  EXPECT_EQ(first["width"], 32);
  EXPECT_EQ(first["decoded"], true);
  EXPECT_EQ(json["files"][0]["path"].get<std::string>().substr(0, 9), "test/down");
}

TEST(data_check, names_bad_files_of_a_folder_and_of_an_experiment_and_ends_with_4) {
  const Project project;
  const auto victim = std::filesystem::directory_iterator(project / "clips/train/left")->path();
  cut(victim, 0.3);
  project.write("clips/train/up/empty.mp4", "");
  for (const char* target : {"clips", "tiny.toml"}) {
    const test::Finished run = project.kinema({"data", "check", target});
    ASSERT_TRUE(ended(run, 4));
    EXPECT_THAT(run.out, AllOf(HasSubstr(victim.filename().string()), HasSubstr("not a video"),
                               HasSubstr("empty.mp4"), HasSubstr("empty file: expected a video, got 0 bytes"),
                               HasSubstr("25 files: 23 usable"), Not(HasSubstr("right"))));
  }
  const test::Finished run = project.kinema({"data", "check", "tiny.toml", "--json", "--quick"});
  ASSERT_TRUE(ended(run, 4));
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["summary"]["splits"]["train"]["unusable"], 2);
  EXPECT_EQ(json["summary"]["splits"]["val"]["unusable"], 0);
  EXPECT_EQ(json["items"].size(), 2u);
}

TEST(data_check, reads_lists_and_refuses_what_is_none) {
  const Project project;
  std::string list;
  for (const auto& entry : std::filesystem::directory_iterator(project / "clips/train/left"))
    list += "clips/train/left/" + entry.path().filename().string() + ",left\n";
  project.write("some.csv", list + "clips/train/left/gone.mp4,left\n");
  const test::Finished run = project.kinema({"data", "check", "some.csv", "--all", "--threads", "2"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(run.out, AllOf(HasSubstr("5 files: 4 usable"), HasSubstr("no such file: expected a video")));
  EXPECT_TRUE(ended(project.kinema({"data", "check", "nowhere.csv"}), 4));
  const test::Finished wrong = project.kinema({"data", "check", "clips", "model.width=3"});
  ASSERT_TRUE(ended(wrong, 2));
  EXPECT_THAT(wrong.err,
              HasSubstr("expected changes behind an experiment file alone, got \"model.width=3\""));
}

TEST(data_stats, counts_a_data_set_and_measures_its_colours) {
  const Project project;
  const test::Finished run = project.kinema({"data", "stats", "tiny.toml", "--json", "--pixels", "20"});
  ASSERT_TRUE(ended(run, 0));
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["train"]["items"], 16);
  EXPECT_EQ(json["train"]["classes"].size(), 4u);
  EXPECT_EQ(json["train"]["classes"][0]["items"], 4);
  EXPECT_EQ(json["train"]["classes"][0]["share"], 0.25);
  EXPECT_EQ(json["train"]["frames"]["median"], 10);
  EXPECT_EQ(json["train"]["sizes"]["32x32"], 16);
  EXPECT_EQ(json["train"]["channels"]["frames"], 20);
  EXPECT_EQ(json["val"]["items"], 8);
  const test::Finished text = project.kinema({"data", "stats", "tiny.toml", "--split", "val"});
  ASSERT_TRUE(ended(text, 0));
  EXPECT_THAT(text.out, AllOf(HasSubstr("val: 8 items in 8 files, all can be read"), HasSubstr("25.00%"),
                              HasSubstr("frames: 10 / 10 / 10"), HasSubstr("[clip]\nmean = [0."),
                              Not(HasSubstr("train"))));
}

TEST(data_transcode, an_experiment_works_with_the_new_root_and_nothing_else_changed) {
  const Project project;
  const std::vector<std::string> words = {"data",  "transcode", "tiny.toml",    "--output", "small",
                                          "--fps", "10",        "--short-side", "24"};
  const test::Finished run = project.kinema(words);
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.out, HasSubstr("24 videos written, 0 there before, 0 not written"));
  EXPECT_THAT(run.err, HasSubstr((project / "clips/train").string() + " is now " +
                                 (project / "small/train").string()));
  EXPECT_TRUE(ended(project.train({"data.train.root=small/train", "data.val.root=small/test",
                                   "trainer.epochs=1", "clip.stride=1"}),
                    0));
  const test::Finished again = project.kinema(words);
  ASSERT_TRUE(ended(again, 0));
  EXPECT_THAT(again.out, HasSubstr("0 videos written, 24 there before"));
  const Json json = Json::parse(project.kinema({"data", "check", "small", "--json"}).out);
  EXPECT_EQ(json["summary"]["usable"], 24);
  EXPECT_EQ(json["files"][0]["fps"], 10);
  EXPECT_EQ(json["files"][0]["width"], 24);
}

TEST(data_transcode, bad_videos_are_listed_at_the_end_and_other_settings_refused) {
  const Project project;
  project.write("clips/train/up/empty.mp4", "");
  const test::Finished run =
      project.kinema({"data", "transcode", "clips", "--output", "small", "--gop", "4"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(run.out, AllOf(HasSubstr("not written: train/up/empty.mp4: empty file"),
                             HasSubstr("24 videos written")));
  const test::Finished other =
      project.kinema({"data", "transcode", "clips", "--output", "small", "--gop", "5"});
  ASSERT_TRUE(ended(other, 2));
  EXPECT_THAT(other.err, HasSubstr("made with other settings"));
  EXPECT_TRUE(ended(project.kinema({"data", "transcode", "clips", "--output", "clips"}), 2));
}

TEST(data_browse, says_where_its_pictures_are) {
  const Project project;
  const test::Finished run =
      project.kinema({"data", "browse", "tiny.toml", "~clip.flip", "~clip.resize",
                      "transform.train=[{type=\"center_crop\",size=16},{type=\"colour_jitter\"}]", "--items",
                      "3", "--stages", "--output", "look"});
  ASSERT_TRUE(ended(run, 0));
  for (const char* name : {"final.png", "0_decoded.png", "1_geometry.png", "3_colour_jitter.png",
                           "item_0.gif", "item_5.gif", "item_10.gif", "legend.tsv"}) {
    EXPECT_THAT(run.out, HasSubstr(std::string("look/") + name + "\n"));
    EXPECT_GT(std::filesystem::file_size(project / (std::string("look/") + name)), 50u);
  }
  EXPECT_TRUE(
      ended(project.kinema({"data", "browse", "tiny.toml", "--split", "val", "--output", "look2"}), 0));
}

}  // namespace
}  // namespace kinema::e2e
