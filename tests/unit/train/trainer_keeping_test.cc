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
