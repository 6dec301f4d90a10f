#include "framework/train/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/scratch.h"
#include "tests/unit/train/registered_parts.h"

namespace kinema::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::models_built;
using tests::watcher;

class assembly : public testing::Test {
 protected:
  assembly() {
    tests::register_all(registry);
    models_built = 0;
  }
  eval::Workshop workshop() {
    eval::Workshop shop{experiment, registry, {}, {}};
    shop.lines.warn = [this](std::string_view text) { warnings.emplace_back(text); };
    return shop;
  }
  Parts parts() {
    eval::Workshop shop = workshop();
    const DataSets sets = make_data_sets(shop);
    shop.classes = sets.classes;
    return assemble(shop, sets, at::kCPU);
  }
  std::string problems() {
    return test::error_of([&] { parts(); });
  }
  // Indices of the clips of an epoch's micro-batches.
  std::vector<std::size_t> order(const Parts& parts, std::int64_t epoch) {
    std::vector<std::size_t> indices;
    parts.train.start(epoch, 0);
    while (const auto batch = parts.train.next())
      for (const data::ClipInfo& info : batch->infos) indices.push_back(info.index);
    return indices;
  }
  config::Experiment experiment = tests::small_experiment();
  plugin::Registry registry;
  std::vector<std::string> warnings;
};

TEST_F(assembly, makes_every_part_of_a_run_from_its_section) {
  experiment.eval_clip.temporal_views = 3;
  experiment.callbacks = {watcher("val/loss"), watcher("train/loss")};
  const Parts made = parts();
  EXPECT_EQ(made.train.batches, 2);  // the short last one is dropped
  EXPECT_EQ(made.train.clips(0), 4);
  EXPECT_EQ(made.eval.views, 3);
  EXPECT_EQ(made.eval.clips, 15);
  EXPECT_EQ(made.callbacks.size(), 2u);
  EXPECT_EQ(made.callbacks[1].type, "watcher");
  EXPECT_EQ(made.metrics.size(), 3u);
  EXPECT_EQ(made.metrics.back(), made.class_table);
  EXPECT_EQ(made.scheduler->factors({}).lr, 1);
  EXPECT_EQ(made.optimizer->state().size(), made.model->parameters().size());
}

TEST_F(assembly, feeds_each_epoch_in_an_order_of_its_own_from_any_micro_batch_on) {
  const Parts made = parts();
  const std::vector<std::size_t> first = order(made, 0);
  EXPECT_NE(first, order(made, 1));
  EXPECT_EQ(first, order(made, 0));
  made.train.start(0, 1);
  const auto second = made.train.next();
  EXPECT_EQ(second->infos[0].index, first[4]);
  EXPECT_EQ(made.train.next(), nullptr);
}

TEST_F(assembly, gives_the_optimizer_the_parameters_of_the_loss_too) {
  experiment.loss.type = "learned";
  std::vector<std::string> names;
  for (const NamedTensor& named : parts().optimizer->state()) names.push_back(named.name);
  EXPECT_THAT(names, testing::Contains("loss.scale.step"));
}

TEST_F(assembly, takes_the_same_clips_in_the_same_order_where_it_is_to_overfit) {
  experiment.trainer.overfit_batches = 1;
  const Parts made = parts();
  EXPECT_EQ(made.train.batches, 1);
  EXPECT_THAT(order(made, 0), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(order(made, 0), order(made, 7));
}

TEST_F(assembly, repeats_the_items_of_a_batch_and_balances_their_classes) {
  experiment.loader.repeated = 2;
  experiment.loader.balance = config::Balance::by_class;
  const Parts made = parts();
  EXPECT_EQ(made.train.batches, 5);  // ten items, twice each
  std::map<std::size_t, int> of_class;
  const std::vector<std::size_t> indices = order(made, 0);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    EXPECT_EQ(indices[i], indices[i / 2 * 2]);
    ++of_class[indices[i] % 3];
  }
  for (const auto& [label, count] : of_class) EXPECT_THAT(count, testing::AnyOf(6, 8)) << label;
}

TEST_F(assembly, exchanges_the_labels_of_mirrored_clips) {
  experiment.train_clip.flip_labels = {{"a", "c"}};
  const Parts made = parts();
  int exchanged = 0;
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    made.train.start(epoch, 0);
    while (const auto batch = made.train.next())
      for (std::size_t i = 0; i < batch->infos.size(); ++i) {
        const data::ClipInfo& info = batch->infos[i];
        const std::int64_t label = static_cast<std::int64_t>(info.index % 3);
        const bool changed = info.geometry.flip && label != 1;
        EXPECT_EQ(batch->labels[i], changed ? 2 - label : label);
        exchanged += changed;
      }
  }
  EXPECT_GT(exchanged, 0);
}

TEST_F(assembly, refuses_flip_labels_that_are_no_classes_or_that_no_flip_goes_with) {
  experiment.train_clip.flip_labels = {{"a", "cc"}};
  EXPECT_THAT(problems(),
              HasSubstr("clip.train.flip_labels: unknown class: expected one of a, b, c, got \"cc\""));
  experiment.train_clip.flip_labels = {{"a", "c"}};
  experiment.train_clip.flip = false;
  EXPECT_THAT(problems(),
              HasSubstr("clip.train.flip_labels: no effect: expected clips that are mirrored, got a "
                        "list of transforms without a flip"));
}

TEST_F(assembly, limits_the_micro_batches_of_an_epoch) {
  experiment.trainer.limit_train = 1;
  EXPECT_EQ(parts().train.batches, 1);
}

TEST_F(assembly, does_not_evaluate_without_a_data_set_for_it) {
  experiment.eval_data = {};
  experiment.trainer.eval_every = 0;
  EXPECT_EQ(parts().eval.start, nullptr);
}

TEST_F(assembly, refuses_data_sets_whose_classes_differ) {
  experiment.eval_data.options.set("classes", Value(Value::Array{Value("a"), Value("c")}));
  EXPECT_THAT(
      problems(),
      HasSubstr("the classes of data.train and data.val differ: expected \"b\" at label 1, got \"c\""));
}

TEST_F(assembly, names_every_unknown_monitor_before_a_model_is_built) {
  experiment.trainer.monitor = "val/kappa";
  experiment.callbacks = {watcher("val/top1"), watcher("val/top9")};
  const std::string text = problems();
  EXPECT_THAT(text,
              HasSubstr("trainer.monitor: unknown metric: expected one of train/loss, val/loss, val/top1, "
                        "val/top5, val/mean_class, got \"val/kappa\""));
  EXPECT_THAT(text, HasSubstr("callback.1.monitor: unknown metric"));
  EXPECT_THAT(text, testing::Not(HasSubstr("callback.0")));
  EXPECT_EQ(models_built, 0);
}

TEST_F(assembly, knows_the_training_loss_alone_where_nothing_is_evaluated) {
  experiment.trainer.eval_every = 0;
  experiment.trainer.monitor = "train/loss";
  experiment.callbacks = {watcher("train/loss")};
  EXPECT_EQ(problems(), "");
  experiment.callbacks = {watcher("val/top1")};
  EXPECT_THAT(problems(),
              HasSubstr("expected one of train/loss, got \"val/top1\"\nhint: nothing is evaluated: "
                        "trainer.eval_every = 1 with a [data.val] does"));
}

TEST_F(assembly, warns_of_flips_where_classes_look_directional) {
  const Value names(Value::Array{Value("turn left"), Value("turn right"), Value("jump")});
  experiment.train_data.options.set("classes", names);
  experiment.eval_data.options.set("classes", names);
  parts();
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("flip")));
}

}  // namespace
}  // namespace kinema::train
