#include "tests/e2e/project.h"

// Decoders that never come back, met by the built program.
namespace kinema::e2e {
namespace {

using testing::HasSubstr;

std::vector<std::string> stuck_in(const std::string& items) {
  return {"plugins+=" + std::string(KINEMA_BUILD_DIR) + "/tests/e2e_plugins",
          "data={train={type=\"endless_frames\", items=16, endless=" + items + "}}",
          "loader.stuck_seconds=0.3",
          "loader.workers=2",
          "loader.max_bad_fraction=1",
          "trainer.epochs=2",
          "trainer.eval_every=0"};
}

std::int64_t lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(stuck_decoder, is_left_behind_its_item_replaced_and_put_aside_and_the_run_ends_well) {
  const Project project;
  const test::Finished run = project.train(stuck_in("[3, 8]"));
  ASSERT_TRUE(ended(run, 0));
  const std::string ledger = text_of(project.newest_run() / "bad_videos.tsv");
  EXPECT_EQ(lines_of(ledger), 3) << "once each, though there were two epochs:\n" << ledger;
  EXPECT_THAT(ledger, HasSubstr("\tendless3\t"));
  EXPECT_THAT(ledger, HasSubstr("\tendless8\t"));
  EXPECT_THAT(ledger, HasSubstr("a decoder was stuck in it"));
}

TEST(stuck_decoder, the_third_one_ends_the_run_with_4_and_the_list_of_them) {
  const Project project;
  const test::Finished run = project.train(stuck_in("[1, 3, 8, 12]"));
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(
      run.err,
      HasSubstr("loader: decoders are stuck: expected fewer than 3 of a run, got the last one in item"));
  EXPECT_THAT(run.err, HasSubstr("hint: bad_videos.tsv lists the files"));
  const std::string ledger = text_of(project.newest_run() / "bad_videos.tsv");
  EXPECT_EQ(lines_of(ledger), 4) << ledger;
  EXPECT_THAT(text_of(project.newest_run() / "summary.json"), HasSubstr("\"failed\""));
}

}  // namespace
}  // namespace kinema::e2e
