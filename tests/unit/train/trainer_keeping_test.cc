#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/tiny_fit.h"

// What a run keeps: its best, and the checkpoints that callbacks ask for.
namespace kinema::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::TinyFit;

TEST(trainer, watches_its_training_loss_after_each_epoch_where_nothing_is_evaluated) {
  TinyFit run;
  run.options.trainer.eval_every = 0;
  run.options.trainer.monitor = "train/loss";
  run.go();
  const RunState& state = run.outcome.state;
  ASSERT_EQ(state.history.size(), 3u);
  EXPECT_EQ(state.best, *std::min_element(state.history.begin(), state.history.end()));
  EXPECT_FALSE(run.keeper.best.empty());
}

TEST(trainer, judges_its_training_loss_each_epoch_also_where_only_some_are_evaluated) {
  TinyFit run;
  run.options.trainer.eval_every = 2;
  run.options.trainer.monitor = "train/loss";
  run.go();
  EXPECT_EQ(run.outcome.state.evaluations, 2);
  EXPECT_EQ(run.outcome.state.history.size(), 3u);
}

TEST(trainer, takes_lower_as_better_where_the_file_says_so) {
  TinyFit most, least;
  least.options.trainer.mode = config::MonitorMode::min;
  for (TinyFit* run : {&most, &least}) run->go();
  const std::vector<double>& history = least.outcome.state.history;
  ASSERT_EQ(history, most.outcome.state.history);
  EXPECT_EQ(most.outcome.state.best, *std::max_element(history.begin(), history.end()));
  EXPECT_EQ(least.outcome.state.best, *std::min_element(history.begin(), history.end()));
}

TEST(trainer, looks_for_a_new_best_when_a_resumed_run_watches_another_metric) {
  TinyFit first;
  first.options.trainer.epochs = 2;
  first.go();
  TinyFit second;
  second.options.trainer.monitor = "val/loss";
  second.go(&first.last());
  const RunState& state = second.outcome.state;
  EXPECT_EQ(state.monitor, "val/loss");
  ASSERT_EQ(state.history.size(), 1u);
  EXPECT_EQ(state.best, state.history[0]);
  EXPECT_THAT(second.log.warnings,
              ElementsAre("the best so far was that of val/top1: a new one is looked for, of "
                          "val/loss"));
}

struct StopAfterEpoch : Callback {
  void epoch_end(const FitState& state, FitControl& control) override {
    if (state.epoch == 2) control.request_stop("enough");
  }
};

TEST(trainer, writes_no_checkpoint_twice_when_it_stops_where_it_has_just_saved) {
  TinyFit asked, signalled;
  asked.parts.callbacks = {{"stop", std::make_shared<StopAfterEpoch>()}};
  signalled.options.stop_signal = [&log = signalled.log] { return log.rows.size() >= 2 ? 15 : 0; };
  for (TinyFit* run : {&asked, &signalled}) {
    run->go();
    EXPECT_EQ(run->outcome.state.epoch, 2);
    EXPECT_EQ(std::count(run->keeper.order.begin(), run->keeper.order.end(), "step-00000008"), 1);
    EXPECT_EQ(run->keeper.order.back(), "step-00000008");
  }
  EXPECT_TRUE(asked.last().state.stopped);
  EXPECT_FALSE(signalled.last().state.stopped);
}

TEST(trainer, tries_again_at_the_end_when_the_last_checkpoint_failed) {
  TinyFit run;
  run.options.checkpoint.every_steps.reset();
  struct FailAndStop : StopAfterEpoch {
    tests::MemoryKeeper* keeper = nullptr;
    void epoch_end(const FitState& state, FitControl& control) override {
      StopAfterEpoch::epoch_end(state, control);
      if (state.epoch == 2) keeper->failures = 1;
    }
  };
  const auto stop = std::make_shared<FailAndStop>();
  stop->keeper = &run.keeper;
  run.parts.callbacks = {{"stop", stop}};
  run.go();
  EXPECT_EQ(run.keeper.order.back(), "step-00000008");
  EXPECT_TRUE(run.last().state.stopped);
}

struct FailAtTheEnd : Callback {
  tests::MemoryKeeper* keeper;
  int failures;
  FailAtTheEnd(tests::MemoryKeeper* target, int count) : keeper(target), failures(count) {}
  void epoch_end(const FitState& state, FitControl&) override {
    if (state.epoch == state.total_epochs) keeper->failures = failures;
  }
};

TEST(trainer, does_not_end_well_without_its_last_checkpoint) {
  TinyFit once, twice;
  once.parts.callbacks = {{"fail", std::make_shared<FailAtTheEnd>(&once.keeper, 1)}};
  once.go();
  EXPECT_TRUE(once.last().state.finished);
  twice.parts.callbacks = {{"fail", std::make_shared<FailAtTheEnd>(&twice.keeper, 2)}};
  try {
    twice.go();
    FAIL() << "ended well";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ended without its last checkpoint"));
  }
}

TEST(trainer, counts_the_clips_that_an_evaluation_had_to_leave_out) {
  TinyFit run;
  run.options.trainer.epochs = 1;
  run.parts.eval.next = [inner = run.parts.eval.next] {
    auto batch = inner();
    if (batch) batch->infos[0].valid = false;
    if (batch) batch->infos[0].problem = "cut off";
    return batch;
  };
  run.go();
  EXPECT_EQ(run.outcome.state.eval_clips, 12);
  EXPECT_EQ(run.outcome.state.eval_unreadable, 3);
  ASSERT_EQ(run.log.warnings.size(), 4u);
  EXPECT_EQ(run.log.warnings[3], "evaluation: 9 of 12 clips evaluated");
}

TEST(trainer, a_best_that_could_not_be_saved_is_no_name_for_later_weights) {
  TinyFit run;
  run.options.trainer.epochs = 2;
  run.options.checkpoint.every_steps = 3;
  // The evaluation of the first epoch is the best for certain; its checkpoint fails.
  struct FailOnce : Callback {
    tests::MemoryKeeper* keeper;
    explicit FailOnce(tests::MemoryKeeper* target) : keeper(target) {}
    void epoch_end(const FitState& state, FitControl&) override {
      keeper->failures = state.epoch == 1 ? 1 : 0;
    }
  };
  run.parts.callbacks = {{"fail_once", std::make_shared<FailOnce>(&run.keeper)}};
  run.go();
  EXPECT_THAT(run.keeper.best, testing::Not(testing::Contains("step-00000006")));
}

struct Swapper : Callback {
  tests::MemoryKeeper* keeper;
  std::int64_t failures = 0;
  Swapper(tests::MemoryKeeper* target, std::int64_t count) : keeper(target), failures(count) {}
  void step_end(const FitState& state, FitControl& control) override {
    if (state.step == 1) control.request_checkpoint("old");
    if (state.step != 2) return;
    control.request_checkpoint("new");
    control.release_checkpoint("old");
    keeper->failures = static_cast<int>(failures);
  }
};

TEST(trainer, releases_what_a_callback_named_once_the_new_one_is_saved) {
  TinyFit run;
  run.options.checkpoint.every_steps.reset();
  run.parts.callbacks = {{"swapper", std::make_shared<Swapper>(&run.keeper, 0)}};
  run.go();
  EXPECT_TRUE(run.keeper.kept.contains("new"));
  EXPECT_FALSE(run.keeper.kept.contains("old"));
}

TEST(trainer, keeps_what_a_checkpoint_was_to_replace_when_that_one_fails) {
  TinyFit run;
  run.options.checkpoint.every_steps.reset();
  run.parts.callbacks = {{"swapper", std::make_shared<Swapper>(&run.keeper, 1)}};
  run.go();
  EXPECT_FALSE(run.keeper.kept.contains("new"));
  EXPECT_TRUE(run.keeper.kept.contains("old"));
}

TEST(trainer, one_callback_s_failed_checkpoint_leaves_another_one_s_releases_alone) {
  TinyFit run;
  run.options.checkpoint.every_steps.reset();
  struct Releaser : Callback {
    void step_end(const FitState& state, FitControl& control) override {
      if (state.step == 1) control.request_checkpoint("other");
      if (state.step == 2) control.release_checkpoint("other");
    }
  };
  run.parts.callbacks = {{"swapper", std::make_shared<Swapper>(&run.keeper, 1)},
                         {"releaser", std::make_shared<Releaser>()}};
  run.go();
  EXPECT_TRUE(run.keeper.kept.contains("old"));
  EXPECT_FALSE(run.keeper.kept.contains("other"));
}

struct Epochs : Callback {
  std::vector<std::int64_t> at_evaluation, at_end;
  void eval_end(const FitState& state, FitControl&) override { at_evaluation.push_back(state.epoch); }
  void epoch_end(const FitState& state, FitControl&) override { at_end.push_back(state.epoch); }
};

TEST(trainer, counts_an_epoch_as_done_when_it_is_evaluated) {
  TinyFit run;
  const auto epochs = std::make_shared<Epochs>();
  run.parts.callbacks = {{"epochs", epochs}};
  run.go();
  EXPECT_THAT(epochs->at_evaluation, ElementsAre(1, 2, 3));
  EXPECT_THAT(epochs->at_end, ElementsAre(1, 2, 3));
}

struct Thrower : Callback {
  void checkpoint_saved(const FitState&, FitControl&, const std::string&) override {
    throw Error(ErrorKind::plugin, "callback thrower", "no such server: expected one, got none");
  }
};

TEST(trainer, a_fault_of_a_callback_is_no_failed_checkpoint) {
  TinyFit run;
  run.parts.callbacks = {{"thrower", std::make_shared<Thrower>()}};
  try {
    run.go();
    FAIL() << "did not stop";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no such server"));
  }
}

}  // namespace
}  // namespace kinema::train
