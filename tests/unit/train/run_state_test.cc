#include "framework/train/run_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kinema/error.h"

namespace kinema::train {
namespace {

TEST(run_state, comes_back_as_it_was_saved) {
  RunState state;
  state.step = 7;
  state.epoch = 2;
  state.batch = 3;
  state.evaluations = 2;
  state.skipped_in_a_row = 1;
  state.loss_sum = 0.1 + 0.2;
  state.loss_weight = 12.5;
  state.eval_clips = 20;
  state.eval_unreadable = 1;
  state.monitor = "val/top1";
  state.higher_is_better = false;
  state.history = {0.25, 1.0 / 3};
  state.metrics = {{"val/top1", 1.0 / 3}, {"train/loss", 2}};
  state.best = 1.0 / 3;
  state.best_epoch = 1;
  state.wall_s = 12.5;
  state.finished = true;
  EXPECT_EQ(RunState::from_value(state.to_value()).to_value(), state.to_value());
}

TEST(run_state, names_a_field_that_is_missing) {
  Value value = RunState().to_value();
  value.erase("batch");
  try {
    RunState::from_value(value);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_STREQ(error.what(), "checkpoint state: missing field: expected batch, got none");
  }
}

bool higher(const std::string& monitor, std::optional<config::MonitorMode> mode = {}) {
  config::TrainerOptions trainer;
  trainer.monitor = monitor;
  trainer.mode = mode;
  return higher_is_better(trainer);
}

TEST(run_state, less_is_better_for_names_that_end_in_loss_or_error_unless_the_file_says_otherwise) {
  EXPECT_TRUE(higher("val/top1"));
  EXPECT_FALSE(higher("val/loss"));
  EXPECT_FALSE(higher("val/top1_error"));
  EXPECT_TRUE(higher("val/lossless"));
  EXPECT_FALSE(higher("val/distance", config::MonitorMode::min));
  EXPECT_TRUE(higher("val/loss", config::MonitorMode::max));
}

TEST(run_state, a_nan_is_never_better) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(improves(0.6, 0.5, true));
  EXPECT_FALSE(improves(0.5, 0.5, true));
  EXPECT_TRUE(improves(0.4, 0.5, false));
  EXPECT_TRUE(improves(-1, nan, true));
  EXPECT_FALSE(improves(nan, nan, true));
}

}  // namespace
}  // namespace kinema::train
