#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/layers.h"
#include "tests/support/block_count.h"
#include "tests/support/key_maps.h"
#include "tests/support/reference_variants.h"
#include "tests/support/token_by_token.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("timesformer");
  return loaded;
}

// Two narrow blocks for 3 frames of 8x8, of 4 patches each.
Value tiny(std::initializer_list<std::pair<const char*, Value>> more = {}) {
  Value options = Value::table({{"frames", 3},
                                {"crop", 8},
                                {"patch_size", 4},
                                {"embed_dim", 8},
                                {"depth", 2},
                                {"heads", 2},
                                {"stochastic_depth", 0.0}});
  for (const auto& [key, value] : more) options.set(key, value);
  return options;
}

// Values from a formula for every parameter; nothing is zero.
void fill(Model& model) {
  std::vector<NamedTensor> state;
  for (const NamedTensor& named : model.parameters())
    state.push_back({named.name, test::reference_weight(named.name, named.tensor.sizes(),
                                                        named.name.find("norm") != std::string::npos &&
                                                                named.name.ends_with("weight")
                                                            ? "norm_weight"
                                                        : named.name.ends_with("weight") ? "weight"
                                                                                         : "param")});
  model.load_state(state);
}

TEST(timesformer, gives_what_the_paper_says_token_by_token) {
  const at::NoGradGuard no_grad;
  for (const char* attention : {"divided", "joint", "space"}) {
    SCOPED_TRACE(attention);
    const auto model = plugin().make(tiny({{"attention", attention}}), 5);
    fill(*model);
    model->to(at::kDouble);
    model->train(false);
    ClipBatch batch;
    batch.clips["rgb"] = test::reference_input("input", {2, 3, 3, 8, 8}).to(at::kDouble);
    const at::Tensor logits = model->forward(batch).logits;
    for (const int sample : {0, 1}) {
      const at::Tensor expected = test::TokenByToken(*model).logits(batch.rgb()[sample], attention);
      EXPECT_LT(logits[sample].sub(expected).abs().max().item<double>(), 1e-12);
    }
  }
}

TEST(timesformer, names_its_tensors_like_the_published_program) {
  const auto model = plugin().make(tiny({{"depth", 1}}), 5);
  std::vector<std::string> names;
  for (const NamedTensor& named : model->state()) names.push_back(named.name);
  std::vector<std::string> expected = {"model.cls_token", "model.pos_embed", "model.time_embed"};
  for (const char* part :
       {"patch_embed.proj", "blocks.0.norm1", "blocks.0.attn.qkv", "blocks.0.attn.proj",
        "blocks.0.temporal_norm1", "blocks.0.temporal_attn.qkv", "blocks.0.temporal_attn.proj",
        "blocks.0.temporal_fc", "blocks.0.norm2", "blocks.0.mlp.fc1", "blocks.0.mlp.fc2", "norm", "head"})
    for (const char* tensor : {"weight", "bias"})
      expected.push_back(std::string("model.") + part + "." + tensor);
  EXPECT_EQ(names, expected);
  EXPECT_TRUE(test::key_map(*model, "timesformer").rewrites.empty());
}

TEST(timesformer, every_attention_trains) {
  for (const char* attention : {"divided", "joint", "space"}) {
    SCOPED_TRACE(attention);
    const auto model = plugin().make(tiny({{"attention", attention}}), 5);
    fill(*model);
    test::expect_all_gradients(*model, test::formula_clip({2, 3, 3, 8, 8}));
  }
}

TEST(timesformer, begins_as_a_network_of_images) {
  const auto model = plugin().make(tiny({{"embed_dim", 64}}), 5);
  for (const NamedTensor& named : model->parameters()) {
    SCOPED_TRACE(named.name);
    const double size = named.tensor.abs().max().item<double>();
    const bool zero = named.name.find("temporal_fc") != std::string::npos ||
                      named.name == "model.time_embed" || named.name.ends_with("qkv.bias");
    if (zero) {
      EXPECT_EQ(size, 0);
    }
    if (named.name.ends_with("qkv.weight")) {
      EXPECT_NEAR(named.tensor.std().item<double>(), 0.02, 0.002);
    }
  }
  // The order of frames is nothing to it.
  model->train(false);
  ClipBatch clip = test::formula_clip({1, 3, 3, 8, 8});
  const at::Tensor logits = model->forward(clip).logits;
  clip.clips["rgb"] = clip.rgb().flip(2);
  EXPECT_TRUE(model->forward(clip).logits.allclose(logits, 1e-5, 1e-6));
}

TEST(timesformer, resizes_its_tables_for_clips_of_other_sizes) {
  for (const char* attention : {"divided", "joint", "space"}) {
    const auto small = plugin().make(tiny({{"attention", attention}}), 5);
    const auto large = plugin().make(tiny({{"attention", attention}, {"frames", 6}, {"crop", 16}}), 5);
    fill(*small);
    std::vector<NamedTensor> state = small->state();
    for (NamedTensor& named : state) {
      if (named.name == "model.time_embed") named.tensor = named.tensor.repeat_interleave(2, 1);
      if (named.name != "model.pos_embed") continue;
      const at::Tensor map = named.tensor.narrow(1, 1, 4).unflatten(1, {2, 2});
      named.tensor = at::cat(
          {named.tensor.narrow(1, 0, 1), map.repeat_interleave(2, 1).repeat_interleave(2, 2).flatten(1, 2)},
          1);
    }
    large->load_state(state);
    small->train(false);
    large->train(false);
    const ClipBatch clip = test::formula_clip({2, 3, 6, 16, 16});
    EXPECT_TRUE(small->forward(clip).logits.equal(large->forward(clip).logits)) << attention;
    EXPECT_EQ(small->forward(test::formula_clip({1, 3, 1, 5, 11})).logits.sizes(), (at::IntArrayRef{1, 5}));
  }
}

TEST(timesformer, maps_are_the_tokens_of_the_last_block_with_and_without_the_head) {
  for (const char* attention : {"divided", "joint", "space"}) {
    const auto model = plugin().make(tiny({{"attention", attention}}), 5);
    auto& backbone = dynamic_cast<HasFeatures&>(*model);
    model->train(false);
    const ClipBatch clip = test::formula_clip({2, 3, 3, 8, 12});
    const at::Tensor maps = backbone.features(clip).at(0);
    EXPECT_EQ(maps.sizes(), (at::IntArrayRef{2, 8, 3, 2, 3}));
    EXPECT_EQ(backbone.feature_channels(), std::vector<std::int64_t>{8});
    // Frames stay at their place: with attention inside frames, one frame's map is that of the frame alone.
    if (std::string(attention) == "space") {
      ClipBatch frame;
      frame.clips["rgb"] = clip.rgb().narrow(2, 1, 1);
      EXPECT_TRUE(backbone.features(frame).at(0).allclose(maps.narrow(2, 1, 1), 1e-5, 1e-6));
    }
    model->erase(backbone.head());
    EXPECT_TRUE(backbone.features(clip).at(0).equal(maps));
  }
}

TEST(timesformer, each_block_is_a_block_of_the_run_context) {
  EXPECT_EQ(test::blocks_run(*plugin().make(tiny(), 2), test::formula_clip({1, 3, 3, 8, 8})), 2);
}

TEST(timesformer, runs_under_autocast) {
  for (const char* attention : {"divided", "joint", "space"}) {
    const auto model = plugin().make(tiny({{"attention", attention}}), 5);
    fill(*model);
    const ClipBatch clip = test::formula_clip({2, 3, 3, 8, 8});
    const at::Tensor exact = model->forward(clip).logits;
    at::autocast::set_autocast_enabled(at::kCPU, true);
    const at::Tensor coarse = model->forward(clip).logits;
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
    EXPECT_TRUE(coarse.to(at::kFloat).allclose(exact, 0.1, 0.05)) << coarse << exact;
    coarse.to(at::kFloat).sum().backward();
  }
}

TEST(timesformer, drops_weights_and_branches_in_train_mode_only) {
  const ClipBatch clip = test::formula_clip({1, 3, 3, 8, 8});
  for (const char* option : {"dropout", "block_dropout", "attention_dropout", "stochastic_depth"}) {
    const auto model = plugin().make(tiny({{option, 0.5}}), 3);
    fill(*model);
    EXPECT_FALSE(model->forward(clip).logits.equal(model->forward(clip).logits)) << option;
    model->train(false);
    EXPECT_TRUE(model->forward(clip).logits.equal(model->forward(clip).logits)) << option;
  }
}

TEST(timesformer, refuses_what_makes_no_network_and_clips_smaller_than_a_patch) {
  const auto problems = [](std::initializer_list<std::pair<const char*, Value>> more) {
    return plugin().problems(tiny(more));
  };
  EXPECT_EQ(problems({}), "");
  EXPECT_THAT(problems({{"heads", 3}}), HasSubstr("wrong heads: expected a divisor of embed_dim = 8, got 3"));
  EXPECT_THAT(problems({{"crop", 3}}), HasSubstr("wrong crop: expected at least patch_size = 4, got 3"));
  EXPECT_THAT(problems({{"attention", "time"}}), HasSubstr("divided"));
  const auto model = plugin().make(tiny(), 2);
  EXPECT_THAT(test::run_error(*model, test::formula_clip({1, 3, 3, 8, 3})),
              HasSubstr("clip rgb: frames are too small: expected at least 4x4, got 8x3"));
}

TEST(timesformer, reads_flow_when_asked_to) {
  const auto model = plugin().make(tiny({{"modality", "flow"}}), 2);
  EXPECT_EQ(model->forward(test::formula_clip({1, 2, 3, 8, 8}, "flow")).logits.sizes(),
            (at::IntArrayRef{1, 2}));
}

}  // namespace
}  // namespace kinema
