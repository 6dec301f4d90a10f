#include "tests/support/conformance.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "tests/support/plugin_under_test.h"

// Every model plugin of the tree keeps what a model has to keep, in each of its architectures, small.
namespace kinema {
namespace {

using Shape = std::vector<std::int64_t>;
using Changes = std::vector<std::pair<std::string, Value>>;

Value numbers(std::initializer_list<std::int64_t> list) {
  Value::Array array;
  for (const std::int64_t number : list) array.emplace_back(number);
  return Value(std::move(array));
}

struct Subject {
  const char* plugin;
  const char* preset;
  Changes changes;  // what makes it small
  Shape clip;
  std::set<std::string> no_gradient = {};
};

void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.preset; }

const Changes kNarrow = {{"width", 8}, {"dropout", 0.0}};
const Changes kPathway = {{"width", 8}, {"dropout", 0.0}, {"crop", 64}};
// A shift of what softmax attends to changes nothing.
const std::set<std::string> kKeyBias = {"conv_phi.bias"};
// The classifier reads the class token alone: in the last block only its query counts, which is neither
// pooled nor given a position.
const std::set<std::string> kLastQueries = {"blocks.1.attn.pool_q.pool.weight", "blocks.1.attn.rel_pos_h",
                                            "blocks.1.attn.rel_pos_w", "blocks.1.attn.rel_pos_t"};

std::vector<Subject> subjects() {
  const Changes mvit = {{"frames", 4},
                        {"crop", 32},
                        {"embed_dim", 8},
                        {"depths", numbers({1, 1})},
                        {"heads", numbers({1, 2})},
                        {"kv_stride", numbers({1, 2, 2})},
                        {"stochastic_depth", 0.0},
                        {"dropout", 0.0}};
  const Changes swin = {{"embed_dim", 8},
                        {"depths", numbers({2, 2})},
                        {"heads", numbers({1, 2})},
                        {"window", numbers({2, 3, 3})},
                        {"stochastic_depth", 0.0}};
  const Changes timesformer = {{"frames", 3}, {"crop", 32}, {"patch_size", 8},        {"embed_dim", 16},
                               {"depth", 2},  {"heads", 2}, {"stochastic_depth", 0.0}};
  const Changes x3d = {{"width_factor", 1.0}, {"depth_factor", 1.0}, {"head_width", 16},
                       {"dropout", 0.0},      {"crop", 64},          {"frames", 0}};
  const Changes csn = {{"width", 8}, {"depth", 50}, {"head_pool", numbers({1, 2, 2})}, {"dropout", 0.0}};
  const Changes inception = {{"width", 8}, {"dropout", 0.0}, {"adaptive_pool", true}};
  return {
      {"resnet3d", "r3d_18", kNarrow, {4, 32, 32}},
      {"resnet3d", "mc3_18", kNarrow, {4, 32, 32}},
      {"resnet3d", "r2plus1d_18", kNarrow, {4, 32, 32}},
      {"resnet3d", "resnet3d_18", kNarrow, {8, 64, 64}},
      {"resnet3d", "resnet3d_50", kNarrow, {8, 64, 64}},
      {"resnet3d", "resnet2p1d_18", kNarrow, {8, 64, 64}},
      {"resnet3d", "preresnet3d_18", kNarrow, {8, 64, 64}},
      {"resnet3d", "wideresnet3d_50_k2", kNarrow, {8, 64, 64}},
      {"resnet3d", "resnext3d_50", {{"width", 32}, {"cardinality", 4}}, {8, 64, 64}},
      {"densenet3d",
       "densenet3d_121",
       {{"width", 8}, {"growth", 4}, {"blocks", numbers({2, 2, 2, 2})}},
       {16, 64, 64}},
      {"csn", "csn_r50", csn, {4, 64, 64}},
      {"r2plus1d", "r2plus1d_r50", csn, {4, 64, 64}},
      {"i3d", "i3d_r50", kPathway, {4, 64, 64}},
      {"i3d", "i3d_nln_r50", kPathway, {4, 64, 64}, kKeyBias},
      {"i3d", "i3d_inception_rgb", inception, {16, 64, 64}},
      {"i3d", "i3d_inception_flow", inception, {16, 64, 64}},
      {"slowfast", "c2d_r50", kPathway, {4, 64, 64}},
      {"slowfast", "slow_8x8_r50", kPathway, {4, 64, 64}},
      {"slowfast", "slowfast_4x16_r50", kPathway, {8, 64, 64}},
      {"slowfast", "slowfast_8x8_r50", kPathway, {8, 64, 64}},
      {"slowfast", "ava_slow_4x16_r50", kPathway, {4, 64, 64}},
      {"slowfast", "ava_slowfast_32x2_r50", kPathway, {8, 64, 64}},
      {"x3d", "x3d_s", x3d, {4, 64, 64}},
      {"mvit", "mvit_v1_b_16x4", mvit, {4, 32, 32}, kLastQueries},
      {"mvit", "mvit_v2_s_16x4", mvit, {4, 32, 32}, kLastQueries},
      {"video_swin", "swin3d_t", swin, {4, 32, 32}},
      {"timesformer", "timesformer_b_8x32", timesformer, {3, 32, 32}},
      {"timesformer", "timesformer_joint_8x32", timesformer, {3, 32, 32}},
      {"timesformer", "timesformer_space_8x32", timesformer, {3, 32, 32}},
  };
}

Value preset_of(const test::ComponentsUnderTest& components, const Subject& subject) {
  for (const Preset& preset : components.find("model", subject.plugin)->presets)
    if (preset.name == subject.preset) return preset.options;
  throw std::runtime_error(std::string("no preset ") + subject.preset);
}

class conformance : public testing::TestWithParam<Subject> {};

TEST_P(conformance, holds) {
  const Subject& subject = GetParam();
  const auto components = test::plugin_under_test(subject.plugin);
  components->class_count = 6;
  Value options = preset_of(*components, subject);
  const std::string name = subject.preset;
  for (const auto& [key, value] : subject.changes) options.set(key, value);
  test::expect_conformance({.make = [&] { return components->make<Model>(subject.plugin, options); },
                            .clip = subject.clip,
                            .modalities = {name.ends_with("flow") ? "flow" : "rgb"},
                            .boxes = name.starts_with("ava_"),
                            .no_gradient = subject.no_gradient});
}

INSTANTIATE_TEST_SUITE_P(models, conformance, testing::ValuesIn(subjects()),
                         [](const auto& info) { return std::string(info.param.preset); });

TEST(conformance_of_all, looks_at_every_model_plugin) {
  std::set<std::string> seen = {"two_stream"};  // a model of two others: two_stream_test.cc
  for (const Subject& subject : subjects()) seen.insert(subject.plugin);
  std::set<std::string> there;
  for (const auto& folder :
       std::filesystem::directory_iterator(std::filesystem::path(KINEMA_SOURCE_DIR) / "plugins" / "models"))
    if (folder.path().filename() != "blocks") there.insert(folder.path().filename());
  EXPECT_EQ(seen, there);
}

}  // namespace
}  // namespace kinema
