#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/layers.h"
#include "tests/support/block_count.h"
#include "tests/support/key_maps.h"
#include "tests/support/reference_variants.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("video_swin");
  return loaded;
}

Value list(std::initializer_list<int> numbers) { return Value(Value::Array(numbers.begin(), numbers.end())); }

// A preset with few channels, two blocks a stage and two stages.
Value tiny(const char* preset, std::initializer_list<std::pair<const char*, Value>> more = {}) {
  Value options = plugin().preset(preset);
  options.set("embed_dim", 8);
  options.set("depths", list({2, 2}));
  options.set("heads", list({1, 2}));
  options.set("window", list({2, 3, 3}));
  for (const auto& [key, value] : more) options.set(key, value);
  return options;
}

TEST(video_swin, has_the_reference_state_dict_and_gives_its_logits) {
  const nlohmann::json file = test::golden("models/torchvision_swin3d_t.json");
  const auto model = plugin().make(plugin().preset("swin3d_t"), 400);
  test::expect_same_state(*model, file);
  test::expect_same_logits(*model, file, file["cases"][0]);
  EXPECT_TRUE(test::key_map(*model, "torchvision").rewrites.empty());
}

TEST(video_swin, gives_the_reference_numbers_for_other_sizes_and_options) {
  test::expect_same_variants(plugin(), "models/torchvision_swin3d_variants.json");
}

TEST(video_swin, every_preset_trains) {
  for (const Preset& p : plugin().presets()) {
    SCOPED_TRACE(p.name);
    const auto model = plugin().make(tiny(p.name.c_str(), {{"stochastic_depth", 0.0}}), 7);
    test::expect_all_gradients(*model, test::formula_clip({2, 3, 8, 40, 56}));
  }
}

TEST(video_swin, the_index_of_relative_positions_is_a_table_of_its_own) {
  const auto model = plugin().make(tiny("swin3d_t"), 3);
  EXPECT_EQ(model->tables().size(), 4u);
  std::vector<NamedTensor> state = model->state();
  for (NamedTensor& named : state)
    if (named.name.ends_with("relative_position_index")) named.tensor = named.tensor.add(1);
  model->load_state(state);
  EXPECT_EQ(model->tables()[0].tensor[0][0].item<std::int64_t>(), (1 * 5 + 2) * 5 + 2);
}

TEST(video_swin, maps_are_the_tokens_of_the_last_block_with_and_without_the_head) {
  const auto model = plugin().make(tiny("swin3d_t"), 3);
  auto& backbone = dynamic_cast<HasFeatures&>(*model);
  model->train(false);
  const ClipBatch clip = test::formula_clip({2, 3, 5, 36, 40});
  const at::Tensor maps = backbone.features(clip).at(0);
  EXPECT_EQ(maps.sizes(), (at::IntArrayRef{2, 16, 3, 5, 5}));
  EXPECT_EQ(backbone.feature_channels(), std::vector<std::int64_t>{16});
  auto& head = dynamic_cast<Linear&>(*model->find(backbone.head()));
  const at::Tensor expected = model->forward(clip).logits;
  EXPECT_TRUE(head(maps.mean(at::IntArrayRef({2, 3, 4}))).allclose(expected, 1e-5, 1e-6));
  model->erase(backbone.head());
  EXPECT_TRUE(backbone.features(clip).at(0).equal(maps));
}

TEST(video_swin, each_block_is_a_block_of_the_run_context) {
  EXPECT_EQ(test::blocks_run(*plugin().make(tiny("swin3d_t"), 2), test::formula_clip({1, 3, 4, 32, 32})), 4);
}

TEST(video_swin, runs_under_autocast) {
  const auto model = plugin().make(tiny("swin3d_t", {{"stochastic_depth", 0.0}}), 5);
  const ClipBatch clip = test::formula_clip({2, 3, 8, 40, 56});
  const at::Tensor exact = model->forward(clip).logits;
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const at::Tensor coarse = model->forward(clip).logits;
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  EXPECT_TRUE(coarse.to(at::kFloat).allclose(exact, 0.1, 0.02)) << coarse << exact;
  coarse.to(at::kFloat).sum().backward();
}

TEST(video_swin, drops_weights_and_branches_in_train_mode_only) {
  const ClipBatch clip = test::formula_clip({1, 3, 4, 32, 32});
  for (const char* option : {"dropout", "block_dropout", "attention_dropout", "stochastic_depth"}) {
    const auto model = plugin().make(tiny("swin3d_t", {{"stochastic_depth", 0.0}, {option, 0.5}}), 3);
    EXPECT_FALSE(model->forward(clip).logits.equal(model->forward(clip).logits)) << option;
    model->train(false);
    EXPECT_TRUE(model->forward(clip).logits.equal(model->forward(clip).logits)) << option;
  }
}

TEST(video_swin, reads_flow_when_asked_to) {
  const auto model = plugin().make(tiny("swin3d_t", {{"modality", "flow"}}), 2);
  EXPECT_EQ(model->forward(test::formula_clip({1, 2, 4, 16, 16}, "flow")).logits.sizes(),
            (at::IntArrayRef{1, 2}));
  EXPECT_THAT(test::run_error(*model, test::formula_clip({1, 3, 4, 16, 16}, "flow")),
              HasSubstr("wrong shape"));
}

TEST(video_swin, refuses_options_that_make_no_network) {
  const auto problems = [](std::initializer_list<std::pair<const char*, Value>> more) {
    return plugin().problems(tiny("swin3d_t", more));
  };
  EXPECT_EQ(problems({}), "");
  EXPECT_THAT(problems({{"heads", list({1})}}),
              HasSubstr("wrong number of stages in heads: expected 2 as in depths, got 1"));
  EXPECT_THAT(problems({{"heads", list({3, 2})}}),
              HasSubstr("wrong heads of stage 1: expected a divisor of the 8 channels, got 3"));
  EXPECT_THAT(problems({{"depths", Value(Value::Array{})}}), HasSubstr("no stages"));
  EXPECT_THAT(problems({{"window", list({2, 2})}}), HasSubstr("window"));
}

}  // namespace
}  // namespace kinema
