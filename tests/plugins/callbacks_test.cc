#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kinema/callback.h"
#include "tests/support/plugin_under_test.h"

namespace kinema {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Asked final : FitControl {
  void request_stop(std::string reason) override { stops.push_back(std::move(reason)); }
  void request_checkpoint(std::string name) override { acts.push_back("+" + name); }
  void release_checkpoint(std::string name) override { acts.push_back("-" + name); }
  void info(std::string_view text) override { infos.emplace_back(text); }
  std::vector<std::string> stops, acts, infos;
};

std::shared_ptr<Callback> make(const std::string& type, const Value& options = Value::table()) {
  return test::plugin_under_test(type)->make<Callback>(type, options);
}

FitState evaluated(std::int64_t epoch, const std::string& metric, double value) {
  FitState state;
  state.epoch = epoch;
  state.step = 100 * epoch;
  state.evaluations = epoch;
  state.metrics[metric] = value;
  return state;
}

// Evaluations with these values, one an epoch; gives the number of the one that asked to stop, 0 for none.
int stops_at(Callback& callback, const std::string& metric, const std::vector<double>& values) {
  Asked asked;
  for (std::size_t i = 0; i < values.size(); ++i) {
    callback.eval_end(evaluated(static_cast<std::int64_t>(i) + 1, metric, values[i]), asked);
    if (!asked.stops.empty()) return static_cast<int>(i) + 1;
  }
  return 0;
}

Value patience(std::int64_t evaluations, const std::string& monitor = "val/top1") {
  return Value::table({{"patience", evaluations}, {"monitor", monitor}});
}

TEST(early_stopping, stops_after_patience_evaluations_without_improvement) {
  EXPECT_EQ(stops_at(*make("early_stopping", patience(2)), "val/top1", {0.1, 0.3, 0.2, 0.3}), 4);
  EXPECT_EQ(stops_at(*make("early_stopping", patience(2)), "val/top1", {0.1, 0.3, 0.2, 0.4, 0.3}), 0);
  EXPECT_EQ(stops_at(*make("early_stopping", patience(1)), "val/top1", {0.5, 0.5}), 2);
}

// Epochs with these values of train/loss, told as the host tells them: an evaluation in every second one.
int stops_after_epoch(Callback& callback, const std::vector<double>& losses) {
  Asked asked;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    FitState state = evaluated(static_cast<std::int64_t>(i) + 1, "train/loss", losses[i]);
    if (i % 2 == 1) callback.eval_end(state, asked);
    callback.epoch_end(state, asked);
    if (!asked.stops.empty()) return static_cast<int>(i) + 1;
  }
  return 0;
}

TEST(early_stopping, judges_a_training_metric_once_an_epoch_whether_it_is_evaluated_or_not) {
  EXPECT_EQ(stops_after_epoch(*make("early_stopping", patience(2, "train/loss")), {3, 2, 2.5, 2.5}), 4);
  EXPECT_EQ(stops_after_epoch(*make("early_stopping", patience(3, "train/loss")), {3, 2, 2.5, 2.5}), 0);
}

TEST(early_stopping, does_not_judge_an_evaluation_s_metric_again_at_the_end_of_the_epoch) {
  const auto callback = make("early_stopping", patience(2));
  Asked asked;
  for (const std::int64_t epoch : {1, 2}) {
    callback->eval_end(evaluated(epoch, "val/top1", 0.5), asked);
    callback->epoch_end(evaluated(epoch, "val/top1", 0.5), asked);
  }
  EXPECT_THAT(asked.stops, IsEmpty());
}

TEST(early_stopping, takes_lower_as_better_for_losses_and_where_told) {
  EXPECT_EQ(stops_at(*make("early_stopping", patience(1, "val/loss")), "val/loss", {3, 2, 1, 1.5}), 4);
  Value options = patience(1, "val/loss");
  options.set("mode", "max");
  EXPECT_EQ(stops_at(*make("early_stopping", options), "val/loss", {3, 2}), 2);
  options = patience(1, "val/distance");
  options.set("mode", "min");
  EXPECT_EQ(stops_at(*make("early_stopping", options), "val/distance", {3, 2, 4}), 3);
}

TEST(early_stopping, asks_for_more_than_min_delta) {
  Value options = patience(2);
  options.set("min_delta", 0.1);
  EXPECT_EQ(stops_at(*make("early_stopping", options), "val/top1", {0.5, 0.55, 0.59}), 3);
  EXPECT_EQ(stops_at(*make("early_stopping", options), "val/top1", {0.5, 0.55, 0.65, 0.7}), 0);
}

TEST(early_stopping, never_takes_a_value_that_is_not_finite_for_an_improvement) {
  EXPECT_EQ(stops_at(*make("early_stopping", patience(2)), "val/top1", {kNan, kNan}), 2);
  EXPECT_EQ(stops_at(*make("early_stopping", patience(2)), "val/top1", {0.1, kInfinity, kNan}), 3);
  EXPECT_EQ(stops_at(*make("early_stopping", patience(2, "val/loss")), "val/loss", {1, -kInfinity, 0.5, 0.4}),
            0);
  EXPECT_EQ(stops_at(*make("early_stopping", patience(2)), "val/top1", {kNan, 0.1, 0.2}), 0);
}

TEST(early_stopping, says_why_it_stops) {
  const auto callback = make("early_stopping", patience(1));
  Asked asked;
  callback->eval_end(evaluated(3, "val/top1", 0.625), asked);
  callback->eval_end(evaluated(4, "val/top1", 0.5), asked);
  EXPECT_THAT(asked.stops,
              ElementsAre("early_stopping: val/top1 did not improve in 1 evaluations; best 0.625 at "
                          "epoch 3"));
}

TEST(early_stopping, counts_in_epochs_where_it_watches_a_training_metric) {
  const auto callback = make("early_stopping", patience(1, "train/loss"));
  Asked asked;
  callback->epoch_end(evaluated(1, "train/loss", 0.5), asked);
  callback->epoch_end(evaluated(2, "val/loss", 0.5), asked);
  callback->epoch_end(evaluated(3, "train/loss", 0.5), asked);
  EXPECT_THAT(asked.infos, ElementsAre("early_stopping: epoch 2 gave no train/loss; not counted"));
  EXPECT_THAT(asked.stops, ElementsAre("early_stopping: train/loss did not improve in 1 epochs; best 0.5 at "
                                       "epoch 1"));
}

TEST(early_stopping, starts_afresh_when_a_resumed_run_ranks_the_other_way_round) {
  const auto before = make("early_stopping", patience(2));
  stops_at(*before, "val/top1", {0.5, 0.4});
  Value options = patience(2);
  options.set("mode", "min");
  const auto after = make("early_stopping", options);
  after->load(before->save());
  EXPECT_EQ(stops_at(*after, "val/top1", {0.6, 0.7}), 0);
}

TEST(early_stopping, keeps_its_patience_over_a_resume) {
  const auto before = make("early_stopping", patience(3));
  EXPECT_EQ(stops_at(*before, "val/top1", {0.5, 0.4, 0.4}), 0);
  const auto after = make("early_stopping", patience(3));
  after->load(before->save());
  EXPECT_EQ(after->save(), before->save());
  EXPECT_EQ(stops_at(*after, "val/top1", {0.45}), 1);
}

TEST(early_stopping, starts_afresh_when_a_resumed_run_watches_another_metric) {
  const auto before = make("early_stopping", patience(2));
  stops_at(*before, "val/top1", {0.5, 0.4});
  const auto after = make("early_stopping", patience(2, "val/loss"));
  after->load(before->save());
  EXPECT_EQ(stops_at(*after, "val/loss", {3, 2, 1}), 0);
}

TEST(early_stopping, does_not_count_an_evaluation_without_the_metric) {
  const auto callback = make("early_stopping", patience(1));
  Asked asked;
  callback->eval_end(evaluated(1, "val/top1", 0.5), asked);
  callback->eval_end(evaluated(2, "val/loss", 0.5), asked);
  EXPECT_THAT(asked.stops, IsEmpty());
  EXPECT_THAT(asked.infos, ElementsAre("early_stopping: evaluation 2 gave no val/top1; not counted"));
  EXPECT_THAT(callback->monitors(), ElementsAre("val/top1"));
}

TEST(top_k_checkpoint, keeps_the_best_k_and_releases_the_worst) {
  const auto callback = make("top_k_checkpoint", Value::table({{"k", 2}}));
  Asked asked;
  int epoch = 0;
  for (const double value : {0.5, 0.25, 0.75, 0.125})
    callback->eval_end(evaluated(++epoch, "val/top1", value), asked);
  EXPECT_THAT(asked.acts, ElementsAre("+top-val_top1-epoch1-0.5", "+top-val_top1-epoch2-0.25",
                                      "+top-val_top1-epoch3-0.75", "-top-val_top1-epoch2-0.25"));
  EXPECT_THAT(callback->monitors(), ElementsAre("val/top1"));
}

TEST(top_k_checkpoint, ranks_a_training_metric_at_the_end_of_each_epoch) {
  const auto callback = make("top_k_checkpoint", Value::table({{"k", 1}, {"monitor", "train/loss"}}));
  Asked asked;
  for (const std::int64_t epoch : {1, 2}) {
    callback->eval_end(evaluated(epoch, "train/loss", 2.0 / static_cast<double>(epoch)), asked);
    callback->epoch_end(evaluated(epoch, "train/loss", 2.0 / static_cast<double>(epoch)), asked);
  }
  EXPECT_THAT(asked.acts, ElementsAre("+top-train_loss-epoch1-2", "+top-train_loss-epoch2-1",
                                      "-top-train_loss-epoch1-2"));
}

TEST(top_k_checkpoint, does_not_count_one_that_failed_and_takes_back_what_that_one_was_to_replace) {
  const auto callback = make("top_k_checkpoint", Value::table({{"k", 2}}));
  Asked asked;
  callback->eval_end(evaluated(1, "val/top1", 0.5), asked);
  callback->eval_end(evaluated(2, "val/top1", 0.25), asked);
  const Value before = callback->save();
  callback->eval_end(evaluated(3, "val/top1", 0.75), asked);
  // A resumed run is told of it as well.
  const auto resumed = make("top_k_checkpoint", Value::table({{"k", 2}}));
  resumed->load(callback->save());
  for (const auto& told : {callback, resumed}) {
    dynamic_cast<HandlesFailedCheckpoint&>(*told).checkpoint_failed({}, asked, "top-val_top1-epoch3-0.75");
    EXPECT_EQ(told->save(), before);
    Asked later;
    told->eval_end(evaluated(4, "val/top1", 0.3), later);
    EXPECT_THAT(later.acts, ElementsAre("+top-val_top1-epoch4-0.3", "-top-val_top1-epoch2-0.25"));
  }
}

TEST(top_k_checkpoint, is_not_moved_by_the_failure_of_a_checkpoint_that_it_did_not_ask_for) {
  const auto callback = make("top_k_checkpoint");
  Asked asked;
  callback->eval_end(evaluated(1, "val/top1", 0.5), asked);
  const Value before = callback->save();
  dynamic_cast<HandlesFailedCheckpoint&>(*callback).checkpoint_failed({}, asked, "step-00000001");
  EXPECT_EQ(callback->save(), before);
}

TEST(top_k_checkpoint, keeps_the_lowest_losses) {
  const auto callback = make("top_k_checkpoint", Value::table({{"k", 1}, {"monitor", "val/loss"}}));
  Asked asked;
  callback->eval_end(evaluated(1, "val/loss", 2), asked);
  callback->eval_end(evaluated(2, "val/loss", 1.5), asked);
  EXPECT_THAT(asked.acts,
              ElementsAre("+top-val_loss-epoch1-2", "+top-val_loss-epoch2-1.5", "-top-val_loss-epoch1-2"));
}

TEST(top_k_checkpoint, does_not_give_up_a_checkpoint_for_an_equal_one_or_for_nan) {
  const auto callback = make("top_k_checkpoint", Value::table({{"k", 1}}));
  Asked asked;
  int epoch = 0;
  for (const double value : {kNan, 0.5, 0.5, kInfinity, kNan})
    callback->eval_end(evaluated(++epoch, "val/top1", value), asked);
  EXPECT_THAT(asked.acts, ElementsAre("+top-val_top1-epoch2-0.5"));
}

TEST(top_k_checkpoint, gives_every_checkpoint_a_folder_name_of_its_own) {
  const auto callback = make("top_k_checkpoint", Value::table({{"monitor", "val/mAP@0.5"}}));
  Asked asked;
  FitState state = evaluated(1, "val/mAP@0.5", -0.25);
  callback->eval_end(state, asked);
  state.step += 50;
  callback->eval_end(state, asked);
  EXPECT_THAT(asked.acts,
              ElementsAre("+top-val_mAP_0.5-epoch1--0.25", "+top-val_mAP_0.5-epoch1--0.25-step150"));
}

TEST(top_k_checkpoint, remembers_its_table_over_a_resume) {
  const auto before = make("top_k_checkpoint", Value::table({{"k", 2}}));
  Asked asked;
  before->eval_end(evaluated(1, "val/top1", 0.5), asked);
  before->eval_end(evaluated(2, "val/top1", 0.25), asked);
  const auto after = make("top_k_checkpoint", Value::table({{"k", 2}}));
  after->load(before->save());
  EXPECT_EQ(after->save(), before->save());
  Asked later;
  after->fit_begin({}, later);
  after->eval_end(evaluated(3, "val/top1", 0.75), later);
  EXPECT_THAT(later.acts, ElementsAre("+top-val_top1-epoch3-0.75", "-top-val_top1-epoch2-0.25"));
}

TEST(top_k_checkpoint, releases_what_a_smaller_k_leaves_over) {
  const auto before = make("top_k_checkpoint", Value::table({{"k", 3}}));
  Asked asked;
  int epoch = 0;
  for (const double value : {0.5, 0.25, 0.75}) before->eval_end(evaluated(++epoch, "val/top1", value), asked);
  const auto after = make("top_k_checkpoint", Value::table({{"k", 1}}));
  after->load(before->save());
  Asked later;
  after->fit_begin({}, later);
  EXPECT_THAT(later.acts, ElementsAre("-top-val_top1-epoch2-0.25", "-top-val_top1-epoch1-0.5"));
}

TEST(top_k_checkpoint, refuses_a_saved_table_it_cannot_read) {
  const auto callback = make("top_k_checkpoint");
  Value entry = Value::table({{"name", "top-x"}});
  try {
    callback->load(Value::table(
        {{"monitor", "val/top1"}, {"higher_is_better", true}, {"kept", Value(Value::Array{entry})}}));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::data);
    EXPECT_THAT(e.what(), HasSubstr("bad saved state: expected a name and a value, got "));
  }
}

TEST(callbacks, check_and_explain_their_options) {
  const auto problems = [](const std::string& type, const std::string& key, Value value) {
    return test::plugin_under_test(type)->problems("callback", type, Value::table({{key, std::move(value)}}));
  };
  EXPECT_NE(problems("early_stopping", "patience", 0), "");
  EXPECT_NE(problems("early_stopping", "min_delta", -0.1), "");
  EXPECT_NE(problems("early_stopping", "mode", "best"), "");
  EXPECT_NE(problems("top_k_checkpoint", "k", 0), "");
  EXPECT_NE(problems("top_k_checkpoint", "monitor", ""), "");
  for (const char* type : {"early_stopping", "top_k_checkpoint"}) {
    const auto host = test::plugin_under_test(type);
    for (const Option& option : host->find("callback", type)->options.options())
      EXPECT_NE(option.help, "") << type << "." << option.name;
  }
}

}  // namespace
}  // namespace kinema
