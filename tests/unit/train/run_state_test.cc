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
  state.loss_clips = 12;
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

TEST(run_state, less_is_better_for_losses_and_a_nan_never_is) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(higher_is_better("val/top1"));
  EXPECT_FALSE(higher_is_better("val/loss"));
  EXPECT_TRUE(improves(0.6, 0.5, true));
  EXPECT_FALSE(improves(0.5, 0.5, true));
  EXPECT_TRUE(improves(0.4, 0.5, false));
  EXPECT_TRUE(improves(-1, nan, true));
  EXPECT_FALSE(improves(nan, nan, true));
}

}  // namespace
}  // namespace kinema::train
