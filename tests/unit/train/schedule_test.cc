#include "framework/train/schedule.h"

#include <gtest/gtest.h>

namespace kinema::train {
namespace {

// Falls from 1 to 0 along the whole run.
struct Falling : Scheduler {
  Factors factors(const Progress& progress) const override {
    return {1.0 - progress.epoch / progress.total_epochs, 0.5};
  }
};

double lr_at(const Scheduler& scheduler, double warmup_epochs, double epoch) {
  config::SchedulerSection section;
  section.warmup_epochs = warmup_epochs;
  section.warmup_start = 0.1;
  Progress progress;
  progress.epoch = epoch;
  progress.total_epochs = 10;
  progress.steps_per_epoch = 4;
  progress.step = static_cast<std::int64_t>(epoch * 4);
  return factors_at(scheduler, section, progress).lr;
}

TEST(schedule, warm_up_rises_in_a_line_from_its_start_to_what_the_scheduler_says_at_its_end) {
  EXPECT_DOUBLE_EQ(lr_at(ConstantRate(), 2, 0), 0.1);
  EXPECT_DOUBLE_EQ(lr_at(ConstantRate(), 2, 1), 0.55);
  EXPECT_DOUBLE_EQ(lr_at(ConstantRate(), 2, 2), 1);
  EXPECT_DOUBLE_EQ(lr_at(Falling(), 2, 1), 0.1 + (0.8 - 0.1) / 2);
  EXPECT_DOUBLE_EQ(lr_at(Falling(), 2, 2), 0.8);
  EXPECT_DOUBLE_EQ(lr_at(Falling(), 0.5, 0.25), 0.1 + (0.95 - 0.1) / 2);
}

TEST(schedule, without_warm_up_it_is_the_scheduler_s) {
  EXPECT_DOUBLE_EQ(lr_at(Falling(), 0, 0), 1);
  EXPECT_DOUBLE_EQ(lr_at(Falling(), 0, 5), 0.5);
}

TEST(schedule, the_learning_rate_grows_with_the_clips_per_step_when_a_base_batch_is_named) {
  config::OptimizerSection section;
  section.lr = 0.1;
  EXPECT_DOUBLE_EQ(scaled_lr(section, 32), 0.1);
  section.base_batch = 64;
  EXPECT_DOUBLE_EQ(scaled_lr(section, 64), 0.1);
  EXPECT_DOUBLE_EQ(scaled_lr(section, 16), 0.025);
}

}  // namespace
}  // namespace kinema::train
