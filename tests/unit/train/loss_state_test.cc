#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "framework/infer/loss_state.h"
#include "framework/train/store_keeper.h"
#include "kinema/error.h"
#include "tests/support/scratch.h"
#include "tests/support/tiny_fit.h"

// A loss may have parameters and buffers of its own, and may say what its mean divides by.
namespace kinema::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::TinyFit;

// Cross entropy of logits that it stretches by a factor of its own for each class; counts its batches.
struct StretchedLoss : Loss {
  at::Tensor& stretch = parameter("stretch", at::ones({tests::kTinyClasses}));
  at::Tensor& batches = buffer("batches", at::tensor(0.0));
  double bad_from = std::numeric_limits<double>::infinity();
  StretchedLoss() { stretch.set_requires_grad(true); }
  LossValue operator()(const Output& output, const TargetBatch& target) override {
    if (training()) batches.add_(1);
    LossValue value = {at::cross_entropy_loss(output.logits.mul(stretch), target.labels), {}};
    if (batches.item<double>() > bad_from)
      value.total = value.total.mul(std::numeric_limits<double>::quiet_NaN());
    return value;
  }
};

struct StretchedFit : TinyFit {
  std::shared_ptr<StretchedLoss> loss = std::make_shared<StretchedLoss>();
  StretchedFit() { parts.loss = loss; }
};

TEST(loss_state, its_parameters_are_trained_and_saved_with_the_model_s) {
  StretchedFit run;
  run.go();
  EXPECT_FALSE(at::equal(run.loss->stretch, at::ones({tests::kTinyClasses})));
  const Snapshot& last = run.last();
  ASSERT_EQ(last.loss.size(), 2u);
  EXPECT_TRUE(at::equal(last.loss[0].tensor, run.loss->stretch));
  EXPECT_EQ(run.loss->batches.item<double>(), 21);  // not those of evaluations
  bool momentum = false;
  for (const NamedTensor& named : last.optimizer)
    momentum = momentum || named.name == "loss.stretch.momentum";
  EXPECT_TRUE(momentum);
}

TEST(loss_state, a_resumed_run_ends_byte_equal) {
  StretchedFit whole;
  whole.go();
  for (const char* step : {"step-00000003", "step-00000008"}) {
    StretchedFit second;
    second.go(&whole.keeper.kept.at(step));
    EXPECT_TRUE(at::equal(second.loss->stretch, whole.loss->stretch)) << step;
    EXPECT_TRUE(at::equal(second.loss->batches, whole.loss->batches)) << step;
    for (std::size_t i = 0; i < whole.last().optimizer.size(); ++i)
      EXPECT_TRUE(at::equal(second.last().optimizer[i].tensor, whole.last().optimizer[i].tensor));
  }
}

TEST(loss_state, a_non_finite_step_leaves_it_as_it_was) {
  StretchedFit run;
  run.options.trainer.accumulate = 1;
  run.options.trainer.max_steps = 2;
  run.loss->bad_from = 1;
  run.go();
  EXPECT_EQ(run.loss->batches.item<double>(), 1);
  EXPECT_EQ(run.log.warnings.size(), 1u);
}

TEST(loss_state, is_in_the_checkpoint_under_names_of_its_own) {
  const test::Scratch scratch;
  StretchedFit run;
  run.options.trainer.max_steps = 1;
  run.go();
  StoreKeeper keeper(scratch.path(), 1, {}, [](std::string_view) {});
  const std::string path = keeper.save(run.last(), "step-00000001", false);
  const auto stored = checkpoint::load_checkpoint(checkpoint::real_file_system(), path);
  const infer::StateTensors split = infer::split_state(stored.state, *run.loss);
  std::vector<std::string> names;
  for (const NamedTensor& named : split.loss) names.push_back(named.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("stretch", "batches"));
  StretchedFit second;
  second.loss->load_state(split.loss);
  EXPECT_TRUE(at::equal(second.loss->stretch, run.loss->stretch));
  EXPECT_EQ(split.optimizer.size(), run.last().optimizer.size());
  StretchedFit evaluated;
  EXPECT_TRUE(infer::load_loss_state(path + "/model.safetensors", *evaluated.loss));
  EXPECT_TRUE(at::equal(evaluated.loss->stretch, run.loss->stretch));
  EXPECT_FALSE(infer::load_loss_state(scratch / "alone.safetensors", *evaluated.loss));
}

TEST(loss_state, that_is_missing_in_a_checkpoint_is_an_error_that_names_it) {
  StretchedLoss loss;
  const std::string error = test::error_of([&] { loss.load_state(infer::split_state({}, loss).loss); });
  EXPECT_THAT(error, HasSubstr("tensor \"stretch\": missing tensor"));
}

// Cross entropy whose classes weigh differently: its mean divides by the weights of the classes met.
struct WeightedLoss : Loss {
  at::Tensor weights = at::tensor({1.0F, 5.0F, 0.25F});
  bool says_weight = true;
  LossValue operator()(const Output& output, const TargetBatch& target) override {
    LossValue value = {at::cross_entropy_loss(output.logits, target.labels, weights), {}};
    if (says_weight) value.weight = weights.index_select(0, target.labels).sum();
    return value;
  }
};

// The first step over clips that come as micro-batches of these sizes. Batch norm sees micro-batches, and
// dropout draws for each: both are left out.
train::StepReport first_step(const std::vector<std::int64_t>& sizes, bool says_weight) {
  TinyFit fit;
  const auto whole = tests::tiny_batch(0, 0, 6);
  auto next = std::make_shared<std::size_t>(0);
  auto first = std::make_shared<std::int64_t>(0);
  fit.parts.train.batches = std::ssize(sizes);
  fit.parts.train.clips = [sizes](std::int64_t batch) { return sizes[static_cast<std::size_t>(batch)]; };
  fit.parts.train.start = [](std::int64_t, std::int64_t) {};
  fit.parts.train.next = [=, &whole] {
    const std::int64_t clips = sizes[(*next)++];
    auto part = std::make_unique<data::Batch>(*whole);
    const std::int64_t bytes = whole->bytes() / whole->clips;
    part->pixels = data::Pixels(whole->pixels, whole->pixels.get() + *first * bytes);
    part->clips = clips;
    part->labels.assign(whole->labels.begin() + *first, whole->labels.begin() + *first + clips);
    part->weights.resize(static_cast<std::size_t>(clips));
    part->infos.resize(static_cast<std::size_t>(clips));
    *first += clips;
    return part;
  };
  const auto loss = std::make_shared<WeightedLoss>();
  loss->says_weight = says_weight;
  fit.parts.loss = loss;
  fit.parts.model->replace("dropout", std::make_shared<Dropout>(0.0));
  fit.options.trainer.epochs = 1;
  fit.options.trainer.accumulate = std::ssize(sizes);
  RunContext context;
  context.frozen_norm = true;
  const RunContextScope frozen(context);
  fit.go();
  return fit.log.steps.at(0);
}

TEST(accumulation, gives_the_gradient_of_the_large_batch_also_where_clips_weigh_differently) {
  const StepReport whole = first_step({6}, true);
  for (const std::vector<std::int64_t>& sizes :
       {std::vector<std::int64_t>{3, 3}, std::vector<std::int64_t>{1, 4, 1}}) {
    const StepReport parts = first_step(sizes, true);
    EXPECT_NEAR(parts.loss, whole.loss, 1e-6);
    EXPECT_NEAR(parts.grad_norm, whole.grad_norm, 1e-6);
    // Without the weight the micro-batches count by their clips: another gradient.
    EXPECT_GT(std::abs(first_step(sizes, false).grad_norm - whole.grad_norm), 1e-4);
  }
}

TEST(accumulation, refuses_a_weight_below_0) {
  struct Negative : WeightedLoss {
    LossValue operator()(const Output& output, const TargetBatch& target) override {
      LossValue value = WeightedLoss::operator()(output, target);
      value.weight = value.weight.neg();
      return value;
    }
  };
  TinyFit fit;
  fit.parts.loss = std::make_shared<Negative>();
  EXPECT_THAT(test::error_of([&] { fit.go(); }),
              HasSubstr("loss: bad weight of a batch: expected at least 0, got -"));
}

}  // namespace
}  // namespace kinema::train
