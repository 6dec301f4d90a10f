#include "framework/train/trainer.h"

#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/tiny_fit.h"

namespace kinema::train {
namespace {

using tests::TinyFit;

void expect_same_bytes(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_TRUE(at::equal(a[i].tensor, b[i].tensor)) << a[i].name;
  }
}

// The clips of both batches in one.
std::unique_ptr<data::Batch> joined(const data::Batch& a, const data::Batch& b) {
  auto batch = std::make_unique<data::Batch>(a);
  batch->pixels =
      data::Pixels(new std::uint8_t[a.bytes() + b.bytes()], std::default_delete<std::uint8_t[]>());
  std::copy_n(a.pixels.get(), a.bytes(), batch->pixels.get());
  std::copy_n(b.pixels.get(), b.bytes(), batch->pixels.get() + a.bytes());
  batch->clips += b.clips;
  batch->labels.insert(batch->labels.end(), b.labels.begin(), b.labels.end());
  batch->weights.insert(batch->weights.end(), b.weights.begin(), b.weights.end());
  batch->infos.insert(batch->infos.end(), b.infos.begin(), b.infos.end());
  return batch;
}

// Seven micro-batches in groups of two: four steps an epoch, the last group short.
constexpr std::int64_t kSteps = 12;

TEST(trainer, a_resumed_run_ends_byte_equal_whatever_step_it_was_stopped_at) {
  TinyFit whole;
  whole.go();
  ASSERT_EQ(whole.outcome.state.step, kSteps);
  for (std::int64_t stop = 1; stop < kSteps; ++stop) {
    TinyFit first;
    first.options.stop_signal = [&log = first.log, stop] {
      return static_cast<std::int64_t>(log.steps.size()) >= stop ? 15 : 0;
    };
    first.go();
    ASSERT_EQ(first.outcome.status, Outcome::Status::interrupted) << stop;
    TinyFit second;
    second.go(&first.last());
    RunState expected = whole.outcome.state;
    expected.wall_s = second.outcome.state.wall_s;
    EXPECT_EQ(second.outcome.state.to_value(), expected.to_value()) << stop;
    expect_same_bytes(second.last().model, whole.last().model);
    expect_same_bytes(second.last().optimizer, whole.last().optimizer);
  }
}

TEST(trainer, a_run_killed_without_warning_ends_byte_equal_from_any_of_its_checkpoints) {
  TinyFit whole;
  whole.go();
  for (const std::string& name : whole.keeper.order) {
    if (whole.keeper.kept.at(name).state.finished) continue;
    TinyFit second;
    second.go(&whole.keeper.kept.at(name));
    expect_same_bytes(second.last().model, whole.last().model);
    EXPECT_EQ(second.outcome.state.history, whole.outcome.state.history) << name;
  }
}

TEST(trainer, a_stop_during_evaluation_evaluates_first_after_the_resume) {
  TinyFit whole;
  whole.go();
  TinyFit first;
  int asked = 0;
  // Asked before each of the four steps of the epoch, then between evaluation batches.
  first.options.stop_signal = [&asked] { return ++asked > 6 ? 2 : 0; };
  first.go();
  EXPECT_EQ(first.outcome.reason, "SIGINT");
  EXPECT_EQ(first.outcome.state.evaluations, 0);
  EXPECT_EQ(first.outcome.state.step, 4);
  TinyFit second;
  second.go(&first.last());
  EXPECT_EQ(second.outcome.state.history, whole.outcome.state.history);
  expect_same_bytes(second.last().model, whole.last().model);
}

TEST(trainer, accumulation_weighs_every_clip_alike_also_in_a_short_last_group) {
  // One step over micro-batches of 4 and 2 clips against one step over a single one of all 6. Batch norm sees
  // micro-batches, and dropout draws for each: both are left out of the comparison.
  TinyFit whole, grouped;
  whole.parts.train.batches = 1;
  whole.parts.train.clips = [](std::int64_t) { return 6; };
  whole.parts.train.next = [] { return joined(*tests::tiny_batch(0, 0, 4), *tests::tiny_batch(0, 1, 2)); };
  grouped.parts.train = tests::tiny_feed({.batches = 2});
  RunContext context;
  context.frozen_norm = true;
  const RunContextScope frozen(context);
  for (TinyFit* fit : {&whole, &grouped}) {
    fit->options.trainer.epochs = 1;
    fit->parts.model->replace("dropout", std::make_shared<Dropout>(0.0));
    fit->go();
  }
  EXPECT_NEAR(whole.log.steps[0].loss, grouped.log.steps[0].loss, 1e-6);
  EXPECT_NEAR(whole.log.steps[0].grad_norm, grouped.log.steps[0].grad_norm, 1e-6);
}

TEST(trainer, max_steps_ends_the_run_in_the_middle_of_an_epoch_and_evaluates) {
  TinyFit run;
  run.options.trainer.max_steps = 5;
  run.go();
  EXPECT_EQ(run.outcome.status, Outcome::Status::completed);
  EXPECT_EQ(run.outcome.state.step, 5);
  EXPECT_EQ(run.outcome.state.evaluations, 2);
}

struct Recorder : Callback {
  std::vector<std::string>* seen;
  explicit Recorder(std::vector<std::string>* target) : seen(target) {}
  void fit_begin(const FitState&, FitControl&) override { seen->push_back("fit_begin"); }
  void epoch_begin(const FitState&, FitControl&) override { seen->push_back("epoch_begin"); }
  void step_end(const FitState& s, FitControl&) override {
    seen->push_back("step_end " + std::to_string(s.step));
  }
  void eval_end(const FitState&, FitControl&) override { seen->push_back("eval_end"); }
  void epoch_end(const FitState& s, FitControl&) override {
    seen->push_back("epoch_end " + std::to_string(s.epoch));
  }
  void checkpoint_saved(const FitState&, FitControl&, const std::string& path) override {
    seen->push_back("checkpoint_saved " + path);
  }
  void fit_end(const FitState&, FitControl&) override { seen->push_back("fit_end"); }
};

TEST(trainer, tells_callbacks_the_seven_moments_in_the_documented_order) {
  TinyFit run;
  std::vector<std::string> seen;
  run.parts.callbacks = {{"recorder", std::make_shared<Recorder>(&seen)}};
  run.options.trainer.epochs = 2;
  run.options.trainer.accumulate = 4;
  run.options.checkpoint.every_steps = 3;
  run.go();
  EXPECT_THAT(
      seen, testing::ElementsAre("fit_begin", "epoch_begin", "step_end 1", "step_end 2", "eval_end",
                                 "epoch_end 1", "checkpoint_saved step-00000002", "epoch_begin", "step_end 3",
                                 "checkpoint_saved step-00000003", "step_end 4", "eval_end", "epoch_end 2",
                                 "checkpoint_saved step-00000004", "fit_end"));
}

struct Stopper : Callback {
  void step_end(const FitState& state, FitControl& control) override {
    if (state.step == 3) control.request_stop("stopper: three steps are enough");
  }
};

TEST(trainer, a_callback_ends_the_run_after_the_step_in_which_it_asked) {
  TinyFit run;
  run.parts.callbacks = {{"stopper", std::make_shared<Stopper>()}};
  run.go();
  EXPECT_EQ(run.outcome.status, Outcome::Status::stopped_early);
  EXPECT_EQ(run.outcome.reason, "stopper: three steps are enough");
  EXPECT_TRUE(run.last().state.stopped);
  EXPECT_EQ(run.outcome.state.step, 3);
  EXPECT_EQ(run.keeper.order.back(), "step-00000003");
}

TEST(trainer, a_failed_checkpoint_is_told_and_training_goes_on) {
  TinyFit run;
  run.keeper.failures = 2;
  run.go();
  EXPECT_EQ(run.outcome.status, Outcome::Status::completed);
  ASSERT_EQ(run.log.warnings.size(), 2u);
  EXPECT_EQ(run.log.warnings[0],
            "checkpoint step-00000001 failed, the one before is kept and training goes on: step-00000001: no "
            "space left "
            "on device");
}

TEST(trainer, three_failed_checkpoints_in_a_row_end_the_run) {
  TinyFit run;
  run.keeper.failures = 3;
  EXPECT_THROW(run.go(), Error);
}

struct NanLoss : Loss {
  std::int64_t calls = 0;
  std::int64_t bad_from, bad_until;
  NanLoss(std::int64_t from, std::int64_t until) : bad_from(from), bad_until(until) {}
  LossValue operator()(const Output& output, const TargetBatch& target) override {
    LossValue value = tests::PlainCrossEntropy()(output, target);
    ++calls;
    if (output.logits.requires_grad() && calls > bad_from && calls <= bad_until)
      value.total = value.total.mul(std::numeric_limits<double>::quiet_NaN());
    return value;
  }
};

TEST(trainer, a_non_finite_step_changes_no_weight_and_no_statistic_and_names_its_clips) {
  TinyFit run;
  run.options.trainer.accumulate = 1;
  run.options.trainer.max_steps = 2;
  run.parts.loss = std::make_shared<NanLoss>(1, 2);
  run.go();
  ASSERT_EQ(run.log.warnings.size(), 1u);
  EXPECT_EQ(run.log.warnings[0],
            "step 2 skipped: loss nan, gradient norm nan; clips: clip 100, clip 101, clip 102, clip 103");
  expect_same_bytes(run.keeper.kept.at("step-00000002").model, run.keeper.kept.at("step-00000001").model);
}

TEST(trainer, five_non_finite_steps_in_a_row_end_the_run_as_diverged) {
  TinyFit run;
  run.options.trainer.accumulate = 1;
  run.parts.loss = std::make_shared<NanLoss>(0, 1000);
  try {
    run.go();
    FAIL() << "did not stop";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::diverged);
    EXPECT_THAT(error.what(), testing::HasSubstr("5 steps in a row had a non-finite loss or gradient"));
  }
}

TEST(trainer, clips_the_gradient_norm_over_all_parameters) {
  TinyFit run;
  run.options.trainer.max_steps = 1;
  run.options.trainer.clip_grad_norm = 1e-3;
  run.options.optimizer.lr = 1;
  run.go();
  TinyFit untouched;
  double moved = 0;
  for (const NamedTensor& now : run.last().model)
    for (const NamedTensor& then : untouched.parts.model->parameters())
      if (now.name == then.name) moved += now.tensor.sub(then.tensor).square().sum().item<double>();
  EXPECT_GT(run.log.steps[0].grad_norm, 1e-3);
  EXPECT_NEAR(std::sqrt(moved), 1e-3, 1e-6);
}

}  // namespace
}  // namespace kinema::train
