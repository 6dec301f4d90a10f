#include "framework/train/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "framework/tracking/summary.h"
#include "framework/train/stop_signal.h"
#include "tests/support/scratch.h"
#include "tests/unit/train/registered_parts.h"

namespace kinema::train {
namespace {

using testing::HasSubstr;

struct RaiserOptions {
  std::string moment;
};
// Sends the process a SIGINT at a moment of the run.
struct Raiser : Callback {
  std::string moment;
  explicit Raiser(std::string name) : moment(std::move(name)) {}
  void step_end(const FitState&, FitControl&) override { at("step_end"); }
  void fit_end(const FitState&, FitControl&) override { at("fit_end"); }
  void at(const std::string& now) const {
    if (moment == now) std::raise(SIGINT);
  }
};

void register_raiser(Registrar& registrar) {
  registrar.add<Callback>(
      "raiser", "sends SIGINT", Options<RaiserOptions>().add("moment", &RaiserOptions::moment, "when"),
      [](const RaiserOptions& o, Context&) { return std::make_shared<Raiser>(o.moment); });
}

class run_of_an_experiment : public testing::Test {
 protected:
  run_of_an_experiment() {
    auto registry = std::make_shared<plugin::Registry>();
    tests::register_all(*registry);
    registry->register_builtins(register_raiser);
    request.registry = registry;
    request.experiment = tests::small_experiment();
    request.experiment.runs_dir = scratch.path();
    StopSignals::clear();
  }
  ~run_of_an_experiment() override { StopSignals::clear(); }
  void raise_at(const char* moment) {
    request.experiment.callbacks = {{"raiser", Value::table({{"moment", moment}})}};
  }
  test::Scratch scratch;
  RunRequest request;
};

TEST_F(run_of_an_experiment, leaves_its_folder_free_for_the_next_one) {
  const RunResult first = run(request);
  EXPECT_EQ(first.outcome.status, Outcome::Status::completed);
  EXPECT_EQ(first.late_signal, 0);
  request.resume = first.folder;
  EXPECT_TRUE(run(request).nothing_to_do);
}

TEST_F(run_of_an_experiment, records_how_much_of_the_evaluation_could_be_read) {
  const auto summary = tracking::read_summary(run(request).folder);
  ASSERT_TRUE(summary->evaluation);
  EXPECT_EQ(summary->evaluation->clips, 5);
  EXPECT_EQ(summary->evaluation->evaluated, 5);
  EXPECT_EQ(summary->best->metric, "val/top1");
}

TEST_F(run_of_an_experiment, is_interrupted_by_a_signal_while_it_trains) {
  raise_at("step_end");
  const RunResult result = run(request);
  EXPECT_EQ(result.outcome.status, Outcome::Status::interrupted);
  EXPECT_EQ(result.outcome.reason, "SIGINT");
  EXPECT_EQ(result.late_signal, 0);
}

TEST_F(run_of_an_experiment, is_complete_when_the_signal_comes_after_its_end_and_hands_the_signal_on) {
  raise_at("fit_end");
  const RunResult result = run(request);
  EXPECT_EQ(result.outcome.status, Outcome::Status::completed);
  EXPECT_EQ(result.late_signal, SIGINT);
  EXPECT_EQ(tracking::read_summary(result.folder)->status, "finished");
}

TEST_F(run_of_an_experiment, a_loss_that_learns_goes_on_from_what_it_had_learnt) {
  request.experiment.loss.type = "learned";
  request.experiment.trainer.epochs = 2;
  const RunResult whole = run(request);
  request.experiment.trainer.epochs = 1;
  const RunResult half = run(request);
  request.experiment.trainer.epochs = 2;
  request.resume = half.folder;
  const RunResult resumed = run(request);
  const auto state = [](const RunResult& result) {
    return test::slurp(result.folder + "/checkpoints/last/state.safetensors");
  };
  EXPECT_THAT(state(whole), HasSubstr("\"loss.scale\""));
  EXPECT_TRUE(state(resumed) == state(whole));
}

}  // namespace
}  // namespace kinema::train
