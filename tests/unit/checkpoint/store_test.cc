#include "framework/checkpoint/store.h"

#include <ATen/ops/equal.h>
#include <gmock/gmock.h>

#include <limits>

#include "framework/checkpoint/file_io.h"
#include "tests/unit/checkpoint/contents.h"
#include "tests/unit/checkpoint/faulty_file_system.h"

namespace kinema::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

FileSystem& disk() { return real_file_system(); }

std::vector<std::string> names(const std::string& folder) { return list(disk(), folder); }

TEST(store, a_saved_checkpoint_comes_back_exactly) {
  Scratch scratch;
  CheckpointStore store(scratch / "checkpoints", disk());
  const Saved saved = store.save(contents_at(12), step_name(12), {"last", best_link_name("val/top1")});
  EXPECT_THAT(saved.warnings, IsEmpty());
  EXPECT_THAT(names(store.folder()), ElementsAre("best-val_top1", "last", "step-00000012"));

  const Checkpoint back = load_checkpoint(disk(), store.folder() + "/last");
  EXPECT_EQ(back.manifest.step, 12);
  EXPECT_EQ(back.manifest.epoch, 1);
  EXPECT_EQ(back.manifest.plugins.at("resnet3d"), "0.1");
  EXPECT_EQ(back.manifest.config_hash, "abc");
  EXPECT_TRUE(back.manifest.finite);
  EXPECT_EQ(back.metadata.at("classes"), "[\"run\", \"jump\"]");
  EXPECT_EQ(back.values, contents_at(12).values);
  ASSERT_THAT(back.model, SizeIs(2));
  EXPECT_EQ(back.model[1].name, "conv.weight");
  EXPECT_TRUE(at::equal(back.model[1].tensor, contents_at(12).model[0].tensor));
  EXPECT_TRUE(at::equal(back.state[0].tensor, contents_at(12).state[0].tensor));
}

TEST(store, an_absent_or_empty_folder_has_no_newest_checkpoint) {
  Scratch scratch;
  EXPECT_FALSE(find_newest(disk(), scratch / "none").path);
  CheckpointStore store(scratch / "checkpoints", disk());
  EXPECT_FALSE(find_newest(disk(), store.folder()).path);
}

TEST(store, retention_keeps_the_newest_what_links_name_and_what_was_asked_for) {
  Scratch scratch;
  CheckpointStore store(scratch / "c", disk(), 2);
  store.save(contents_at(1), step_name(1), {"last", "best-loss"});
  store.save(contents_at(2), "kept", {"last"});
  for (const int step : {3, 4, 5, 6}) store.save(contents_at(step), step_name(step), {"last"});
  EXPECT_THAT(names(store.folder()),
              ElementsAre("best-loss", "kept", "last", "step-00000001", "step-00000005", "step-00000006"));
  EXPECT_EQ(read_link(disk(), store.folder() + "/best-loss"), "step-00000001");
  EXPECT_EQ(read_link(disk(), store.folder() + "/last"), "step-00000006");
}

TEST(store, a_released_checkpoint_goes_once_no_link_names_it) {
  Scratch scratch;
  CheckpointStore store(scratch / "c", disk());
  store.save(contents_at(1), "top", {"best"});
  store.save(contents_at(2), step_name(2), {});
  store.release("top");
  EXPECT_THAT(names(store.folder()), ElementsAre("best", "step-00000002", "top"));
  store.save(contents_at(3), step_name(3), {"best"});
  EXPECT_THAT(names(store.folder()), ElementsAre("best", "step-00000002", "step-00000003"));
}

TEST(store, the_only_good_checkpoint_is_not_deleted_even_when_released) {
  Scratch scratch;
  CheckpointStore store(scratch / "c", disk());
  store.save(contents_at(1), "top", {});
  store.release("top");
  EXPECT_THAT(names(store.folder()), ElementsAre("top"));
}

TEST(store, a_name_in_use_is_replaced_whole) {
  for (const bool can_exchange : {true, false}) {
    Scratch scratch;
    FaultyFileSystem system;
    system.can_exchange = can_exchange;
    CheckpointStore store(scratch / "c", system);
    store.save(contents_at(1), "best", {"last"});
    store.save(contents_at(2), "best", {"last"});
    EXPECT_THAT(names(store.folder()), ElementsAre("best", "last")) << can_exchange;
    EXPECT_EQ(load_checkpoint(disk(), store.folder() + "/best").manifest.step, 2);
  }
}

TEST(store, a_state_with_nan_is_suspect_and_neither_chosen_nor_linked) {
  Scratch scratch;
  CheckpointStore store(scratch / "c", disk(), 1);
  store.save(contents_at(1), step_name(1));
  CheckpointContents bad = contents_at(2);
  bad.state[0].tensor.fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(store.save(bad, step_name(2)).manifest.finite);
  EXPECT_THAT(names(store.folder()), ElementsAre("last", "step-00000001", "step-00000002"));
  EXPECT_EQ(read_link(disk(), store.folder() + "/last"), "step-00000001");

  const Newest newest = find_newest(disk(), store.folder());
  EXPECT_EQ(newest.path, store.folder() + "/step-00000001");
  ASSERT_THAT(newest.skipped, SizeIs(1));
  EXPECT_THAT(newest.skipped[0].reason, HasSubstr("suspect: it holds NaN or infinity"));

  store.save(contents_at(3), step_name(3));
  EXPECT_THAT(names(store.folder()), ElementsAre("last", "step-00000003"));
}

TEST(store, each_kind_of_non_finite_number_is_found) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16})
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
      Scratch scratch;
      CheckpointContents contents = contents_at(1);
      contents.model[0].tensor = at::full({3}, bad, at::TensorOptions().dtype(dtype));
      EXPECT_FALSE(write_checkpoint(disk(), scratch / "c", contents, 1).finite);
    }
}

TEST(store, a_damaged_newest_checkpoint_falls_back_with_its_reason) {
  Scratch scratch;
  CheckpointStore store(scratch / "c", disk());
  for (const int step : {1, 2, 3}) store.save(contents_at(step), step_name(step));
  spit(store.folder() + "/step-00000003/model.safetensors", "x");
  spit(store.folder() + "/step-00000002/manifest.json", "{}");
  const Newest newest = find_newest(disk(), store.folder());
  EXPECT_EQ(newest.path, store.folder() + "/step-00000001");
  EXPECT_EQ(newest.manifest.step, 1);
  ASSERT_THAT(newest.skipped, SizeIs(2));
  EXPECT_THAT(newest.skipped[0].reason,
              HasSubstr("manifest is damaged: expected its own checksum, got another one"));
  EXPECT_THAT(newest.skipped[1].reason, HasSubstr("wrong size: expected"));
}

TEST(store, all_checkpoints_damaged_is_an_error_and_not_a_fresh_start) {
  Scratch scratch;
  CheckpointStore store(scratch / "c", disk());
  store.save(contents_at(1), step_name(1));
  spit(store.folder() + "/step-00000001/state.json", "");
  const std::string error = error_of([&] { find_newest(disk(), store.folder()); });
  EXPECT_THAT(error, HasSubstr("state.json: wrong size"));
  EXPECT_THAT(error, HasSubstr("no usable checkpoint: expected one, got 1 damaged or suspect ones"));
}

TEST(store, newest_follows_the_order_of_saving_not_the_step) {
  Scratch scratch;
  {
    CheckpointStore store(scratch / "c", disk(), 2);
    store.save(contents_at(100), step_name(100));
    store.save(contents_at(200), step_name(200));
  }
  CheckpointStore resumed(scratch / "c", disk(), 2);
  resumed.save(contents_at(150), step_name(150));
  EXPECT_EQ(find_newest(disk(), resumed.folder()).manifest.step, 150);
  EXPECT_THAT(names(resumed.folder()), ElementsAre("last", "step-00000150", "step-00000200"));
}

TEST(store, leftovers_of_an_interrupted_writer_are_collected) {
  Scratch scratch;
  const std::string folder = scratch / "c";
  CheckpointStore(folder, disk()).save(contents_at(1), "best", {});
  std::filesystem::create_directories(folder + "/step-00000007.tmp-123/x");
  std::filesystem::create_symlink("best", folder + "/last.tmp-123");
  std::filesystem::rename(folder + "/best", folder + "/best.old-123");
  // Readers know the folder moved aside even before a store puts it back.
  EXPECT_EQ(find_newest(disk(), folder).path, folder + "/best.old-123");
  CheckpointStore again(folder, disk());
  EXPECT_THAT(names(folder), ElementsAre("best"));
  EXPECT_EQ(load_checkpoint(disk(), folder + "/best").manifest.step, 1);
}

TEST(store, bad_and_taken_names_are_refused) {
  Scratch scratch;
  CheckpointStore store(scratch / "c", disk());
  for (const std::string name : {"", ".", "..", "a/b", ".hidden", "x.tmp-1", "x.old-1", "a b"})
    EXPECT_THAT(error_of([&] { store.save(contents_at(1), name); }), HasSubstr("bad name")) << name;
  store.save(contents_at(1), "kept", {"last"});
  EXPECT_THAT(error_of([&] { store.save(contents_at(2), "last", {}); }),
              HasSubstr("name is taken: expected a checkpoint folder, got something else"));
  EXPECT_THAT(error_of([&] { store.save(contents_at(2), "b", {"kept"}); }),
              HasSubstr("name is taken: expected a link, got something else"));
  EXPECT_THAT(error_of([&] { store.point("best", "gone"); }),
              HasSubstr("cannot point to 'gone': expected a checkpoint of that name, got none"));
}

TEST(store, step_names_sort_and_monitors_become_link_names) {
  EXPECT_EQ(step_name(120), "step-00000120");
  EXPECT_TRUE(is_step(step_name(123456789012)));
  EXPECT_FALSE(is_step("step-12"));
  EXPECT_EQ(best_link_name("val/top 1"), "best-val_top_1");
}

}  // namespace
}  // namespace kinema::checkpoint
