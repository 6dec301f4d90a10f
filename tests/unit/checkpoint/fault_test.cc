// Every system call of a save fails once, in every way: the earlier checkpoint survives or the new one is
// there.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "framework/checkpoint/store.h"
#include "tests/unit/checkpoint/contents.h"
#include "tests/unit/checkpoint/faulty_file_system.h"
#include "tests/unit/checkpoint/power_loss_file_system.h"

namespace kinema::checkpoint {
namespace {

using testing::AnyOf;

// Without faults.
FileSystem& disk() {
  static FaultyFileSystem system;
  return system;
}

// A folder with steps 1 and 2 (keep 2) and `best` at step 2, made once and copied.
void prepare(const std::string& folder) {
  static const Scratch made;
  if (!std::filesystem::exists(made / "c")) {
    CheckpointStore store(made / "c", disk(), 2);
    store.save(contents_at(1), step_name(1));
    store.save(contents_at(2), step_name(2));
    store.save(contents_at(2), "best", {"last"});
  }
  std::filesystem::copy(
      made / "c", folder,
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
}

// What is put to the test: a regular save with retention and links, then a replacement of `best`. `safe` is
// the step that save() has promised.
void train_on(const std::string& folder, FileSystem& system, std::int64_t* safe = nullptr) {
  CheckpointStore store(folder, system, 2);
  store.save(contents_at(3), step_name(3), {"last", "best-val_top1"});
  if (safe != nullptr) *safe = 3;
  store.save(contents_at(4), "best", {"last"});
  if (safe != nullptr) *safe = 4;
}

// Loads completely whatever a resume would choose; its step.
std::int64_t resumable_step(const std::string& folder) {
  const Newest newest = find_newest(disk(), folder);
  if (!newest.path) return -1;
  EXPECT_TRUE(newest.skipped.empty()) << newest.skipped[0].reason;
  const Checkpoint checkpoint = load_checkpoint(disk(), *newest.path);
  EXPECT_EQ(checkpoint.values.find("step")->as_integer(), checkpoint.manifest.step);
  EXPECT_EQ(checkpoint.model.back().tensor[0][0].item<double>(),
            static_cast<double>(checkpoint.manifest.step));
  return checkpoint.manifest.step;
}

int calls_of_a_run(bool can_exchange) {
  Scratch scratch;
  prepare(scratch / "c");
  FaultyFileSystem system;
  system.can_exchange = can_exchange;
  train_on(scratch / "c", system);
  return system.calls;
}

// A name the user knows must load at every instant; `last` may still be moving but never dangles.
void expect_names_load(const std::string& folder) {
  CheckpointStore collector(folder, disk(), 2);
  EXPECT_THAT(load_checkpoint(disk(), folder + "/best").manifest.step, AnyOf(2, 4));
  EXPECT_THAT(load_checkpoint(disk(), folder + "/last").manifest.step, AnyOf(2, 3, 4));
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_EQ(entry.path().filename().string().find(".tmp-"), std::string::npos) << entry.path();
}

class every_call : public testing::TestWithParam<bool> {};

TEST_P(every_call, that_fails_leaves_the_old_or_the_new_checkpoint) {
  const int calls = calls_of_a_run(GetParam());
  ASSERT_GT(calls, 80);
  for (const Fault fault : {Fault::no_space, Fault::io_error})
    for (int at = 0; at < calls; ++at) {
      SCOPED_TRACE(testing::Message() << "fault " << static_cast<int>(fault) << " at call " << at);
      Scratch scratch;
      prepare(scratch / "c");
      FaultyFileSystem system;
      system.fault = fault;
      system.at = at;
      system.can_exchange = GetParam();
      error_of([&] { train_on(scratch / "c", system); });
      ASSERT_THAT(resumable_step(scratch / "c"), AnyOf(2, 3, 4));
      expect_names_load(scratch / "c");
      // The disk works again: training goes on in the same folder.
      train_on(scratch / "c", disk());
      ASSERT_EQ(resumable_step(scratch / "c"), 4);
    }
}

TEST_P(every_call, that_is_interrupted_or_cut_short_is_continued) {
  const int calls = calls_of_a_run(GetParam());
  for (const Fault fault : {Fault::interrupted, Fault::short_write})
    for (int at = 0; at < calls; ++at) {
      SCOPED_TRACE(testing::Message() << "fault " << static_cast<int>(fault) << " at call " << at);
      Scratch scratch;
      prepare(scratch / "c");
      FaultyFileSystem system;
      system.fault = fault;
      system.at = at;
      system.can_exchange = GetParam();
      ASSERT_EQ(error_of([&] { train_on(scratch / "c", system); }), "");
      ASSERT_EQ(resumable_step(scratch / "c"), 4);
    }
}

TEST_P(every_call, that_is_the_last_before_a_crash_leaves_the_old_or_the_new_checkpoint) {
  const int calls = calls_of_a_run(GetParam());
  int crashes = 0;
  for (int at = 0; at < calls; ++at) {
    SCOPED_TRACE(testing::Message() << "crash at call " << at);
    Scratch scratch;
    prepare(scratch / "c");
    FaultyFileSystem system;
    system.fault = Fault::crash;
    system.at = at;
    system.can_exchange = GetParam();
    try {
      train_on(scratch / "c", system);
    } catch (const Crash&) {
      ++crashes;
    }
    ASSERT_THAT(resumable_step(scratch / "c"), AnyOf(2, 3, 4));
    expect_names_load(scratch / "c");
  }
  EXPECT_GT(crashes, 60);
}

TEST_P(every_call, before_a_power_cut_leaves_the_old_or_the_new_checkpoint) {
  const int calls = calls_of_a_run(GetParam());
  for (const Unflushed lost : {Unflushed::everything, Unflushed::file_contents})
    for (int at = 0; at <= calls; ++at) {
      SCOPED_TRACE(testing::Message() << "power cut at call " << at);
      Scratch scratch;
      prepare(scratch / "c");
      PowerLossFileSystem system(scratch.path());
      system.fault = Fault::crash;
      system.at = at;
      system.can_exchange = GetParam();
      std::int64_t safe = 2;
      try {
        train_on(scratch / "c", system, &safe);
      } catch (const Crash&) {
      }
      Scratch after;
      system.cut_power(after / "disk", lost);
      const std::int64_t step = resumable_step(after / "disk/c");
      ASSERT_THAT(step, AnyOf(2, 3, 4));
      ASSERT_GE(step, safe);
      expect_names_load(after / "disk/c");
    }
}

INSTANTIATE_TEST_SUITE_P(with_and_without_exchange, every_call, testing::Bool(),
                         [](const auto& info) { return info.param ? "exchange" : "two_renames"; });

TEST(power_loss, a_file_system_that_forgets_is_noticed_when_nothing_is_flushed) {
  Scratch scratch;
  PowerLossFileSystem system(scratch.path());
  const int fd = system.open_new(scratch / "x");
  system.write(fd, "abc", 3);
  system.close(fd);
  Scratch after;
  system.cut_power(after / "disk", Unflushed::file_contents);
  EXPECT_EQ(slurp(after / "disk/x"), "");
  system.cut_power(after / "disk2", Unflushed::everything);
  EXPECT_FALSE(std::filesystem::exists(after / "disk2/x"));
}

TEST(store, a_killed_process_leaves_a_loadable_checkpoint) {
  Scratch scratch;
  prepare(scratch / "c");
  std::mt19937 random(7);
  // Made before the fork: the child must not start torch's threads.
  std::vector<CheckpointContents> states;
  for (int step = 5; step < 12; ++step) states.push_back(contents_at(step));
  const auto begin = std::chrono::steady_clock::now();
  CheckpointStore(scratch / "c", real_file_system(), 2).save(contents_at(4), step_name(4));
  const auto one_save =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  const std::int64_t first = find_newest(disk(), scratch / "c").manifest.serial;
  std::int64_t serial = first;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      CheckpointStore store(scratch / "c", real_file_system(), 2);
      for (int i = 0;; ++i) {
        const CheckpointContents& state = states[static_cast<std::size_t>(i) % states.size()];
        store.save(state, i % 3 == 0 ? "best" : step_name(state.step));
      }
    }
    ::usleep(static_cast<useconds_t>(random() % (4 * static_cast<unsigned>(one_save.count()) + 1)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    const Newest newest = find_newest(disk(), scratch / "c");
    ASSERT_TRUE(newest.path);
    ASSERT_TRUE(newest.skipped.empty()) << newest.skipped[0].reason;
    ASSERT_GE(newest.manifest.serial, serial);
    serial = newest.manifest.serial;
    load_checkpoint(disk(), *newest.path);
    load_checkpoint(disk(), scratch / "c/best");
  }
  EXPECT_GT(serial, first + 5);
}

}  // namespace
}  // namespace kinema::checkpoint
