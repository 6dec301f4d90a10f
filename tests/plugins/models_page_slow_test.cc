#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "framework/infer/summary.h"
#include "tests/support/difference_log.h"
#include "tests/support/golden.h"
#include "tests/support/plugin_under_test.h"

// docs/models.md is made of what the plugins offer, of the reference files and of the differences that the
// tests of the models have seen. KINEMA_UPDATE_DOCS=1 writes it; else it has to be what would be written, but
// for the figures of the differences, which depend on the machine.
namespace kinema {
namespace {

namespace fs = std::filesystem;

// The reference file of each preset; a preset that is not here has none.
const std::map<std::string, std::string> kReferences = {
    {"r3d_18", "torchvision_r3d_18"},
    {"mc3_18", "torchvision_mc3_18"},
    {"r2plus1d_18", "torchvision_r2plus1d_18"},
    {"resnet3d_10", "resnet3d_10"},
    {"resnet3d_18", "resnet3d_18"},
    {"resnet3d_34", "resnet3d_34"},
    {"resnet3d_50", "resnet3d_50"},
    {"resnet3d_101", "resnet3d_101"},
    {"resnet2p1d_18", "resnet2p1d_18"},
    {"resnet2p1d_34", "resnet2p1d_34"},
    {"resnet2p1d_50", "resnet2p1d_50"},
    {"wideresnet3d_50_k2", "wideresnet3d_50_k2"},
    {"resnext3d_50", "resnext3d_50"},
    {"resnext3d_101", "resnext3d_101"},
    {"preresnet3d_18", "preresnet3d_18"},
    {"preresnet3d_50", "preresnet3d_50"},
    {"densenet3d_121", "densenet3d_121"},
    {"csn_r101", "pytorchvideo_csn_r101"},
    {"r2plus1d_r50", "pytorchvideo_r2plus1d_r50"},
    {"i3d_inception_rgb", "i3d_inception_rgb"},
    {"i3d_inception_flow", "i3d_inception_flow"},
    {"i3d_r50", "pyslowfast_i3d_r50"},
    {"i3d_nln_r50", "pyslowfast_i3d_nln_r50"},
    {"c2d_r50", "pyslowfast_c2d_r50"},
    {"c2d_nln_r50", "pyslowfast_c2d_nln_r50"},
    {"slow_4x16_r50", "pyslowfast_slow_4x16_r50"},
    {"slow_8x8_r50", "pyslowfast_slow_8x8_r50"},
    {"slow_nln_8x8_r50", "pyslowfast_slow_nln_8x8_r50"},
    {"slowfast_4x16_r50", "pyslowfast_slowfast_4x16_r50"},
    {"slowfast_8x8_r50", "pyslowfast_slowfast_8x8_r50"},
    {"slowfast_8x8_r101", "pyslowfast_slowfast_8x8_r101_101_101"},
    {"slowfast_8x8_r101_50_50", "pyslowfast_slowfast_8x8_r101_50_50"},
    {"ava_slow_4x16_r50", "pyslowfast_ava_slow_r50"},
    {"ava_slowfast_32x2_r50", "pyslowfast_ava_slowfast_32x2_r50"},
    {"mmaction2_i3d_r50", "mmaction2_i3d_r50"},
    {"mmaction2_slowfast_4x16_r50", "mmaction2_slowfast_r50"},
    {"x3d_xs", "pyslowfast_x3d_xs"},
    {"x3d_s", "pyslowfast_x3d_s"},
    {"x3d_m", "pyslowfast_x3d_m"},
    {"x3d_l", "pyslowfast_x3d_l"},
    {"mvit_v1_b_16x4", "torchvision_mvit_v1_b"},
    {"mvit_v2_s_16x4", "torchvision_mvit_v2_s"},
    {"swin3d_t", "torchvision_swin3d_t"},
};

// Clips [frames, height, width] of presets without counts in a reference file.
std::vector<std::int64_t> clip_of(const std::string& plugin, const std::string& preset) {
  if (plugin == "resnet3d" || plugin == "densenet3d") return {16, 112, 112};
  if (preset == "slowfast_16x8_r101") return {64, 224, 224};
  if (plugin == "slowfast" || preset == "mvit_v2_b_32x3") return {32, 224, 224};
  if (preset == "timesformer_hr_16x16") return {16, 448, 448};
  if (plugin == "video_swin") return {32, 224, 224};
  return {8, 224, 224};
}

std::vector<std::string> model_plugins() {
  std::vector<std::string> names;
  for (const auto& folder : fs::directory_iterator(fs::path(KINEMA_SOURCE_DIR) / "plugins" / "models"))
    if (folder.path().filename() != "blocks") names.push_back(folder.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string difference_text(const std::string& reference, const std::string& what) {
  const double value = test::largest_difference(reference, what);
  return value < 0 ? "-" : fmt::format("{:.0e}", value);
}

bool has_counts(const nlohmann::json& file) { return file.contains("flops") && file["flops"].is_object(); }

struct Counted {
  std::int64_t parameters = 0, multiply_adds = 0;
  std::vector<std::int64_t> clip;
};

Counted count(const std::string& plugin, const Preset& preset, const nlohmann::json* file) {
  const auto components = test::plugin_under_test(plugin);
  const bool boxes = preset.name.starts_with("ava_");
  components->class_count = boxes ? 80 : 400;
  const auto model = components->make<Model>(plugin, preset.options);
  Counted counted{infer::parameter_count(*model), 0, clip_of(plugin, preset.name)};
  if (file != nullptr && has_counts(*file)) {
    const auto shape = (*file)["flops"]["input_shape"].get<std::vector<std::int64_t>>();
    counted.clip = {shape.begin() + 2, shape.end()};
  }
  const ClipBatch input = infer::blank_input(counted.clip[0], counted.clip[1], counted.clip[2]);
  counted.multiply_adds = infer::summarise(*model, input).multiply_adds;
  if (file == nullptr) return counted;
  if ((*file)["config"].value("num_classes", 400) == components->class_count) {
    EXPECT_EQ(counted.parameters, (*file)["num_parameters"].get<std::int64_t>()) << preset.name;
  }
  // A reference counted the classifier for each box of its clip.
  if (has_counts(*file) && !boxes) {
    const double expected = (*file)["flops"]["conv_and_matmul"];
    // fvcore reads the count of an einsum from a text with four digits.
    const double einsum = (*file)["flops"]["by_operator"].value("einsum", 0.0);
    EXPECT_NEAR(static_cast<double>(counted.multiply_adds), expected, 1e-3 * einsum) << preset.name;
  }
  return counted;
}

std::string row(const std::string& plugin, const Preset& preset) {
  const auto found = kReferences.find(preset.name);
  nlohmann::json file;
  if (found != kReferences.end()) file = test::golden("models/" + found->second + ".json");
  const Counted counted = count(plugin, preset, file.is_null() ? nullptr : &file);
  std::string reference = "none: not compared", logits = "-", gradients = "-";
  if (!file.is_null()) {
    reference =
        std::regex_replace(file["reference"].get<std::string>(), std::regex("@([0-9a-f]{7})[0-9a-f]*"), "$1");
    logits = difference_text(found->second, "logits");
    gradients = difference_text(found->second, "gradients");
    if (file["cases"].empty()) reference += " (names, shapes and counts)";
  }
  return fmt::format("| `{}` | {} | {} | {:.3f} at {} | {} | {} | {} |\n", preset.name, preset.help,
                     grouped(counted.parameters), static_cast<double>(counted.multiply_adds) / 1e9,
                     fmt::join(counted.clip, " x "), reference, logits, gradients);
}

std::string page() {
  std::string text = R"(# Models
Made by `tests/plugins/models_page_slow_test.cc` from the plugins, the reference numbers in `tests/golden/models` and the
differences that the tests saw. Counts are for 400 classes (80 for boxes, with one box), multiply-adds in milliards. *Logits*: largest
difference of float32 logits from the reference's in units of their standard deviation; *gradients*: largest difference in float64,
of the gradient's norm. A dash: the reference has no such numbers.
)";
  for (const std::string& plugin : model_plugins()) {
    const auto components = test::plugin_under_test(plugin);
    const ComponentInfo& info = *components->find("model", plugin);
    text +=
        fmt::format("\n## {}\n{}. `kinema describe model {}` lists its options", plugin, info.help, plugin);
    if (info.presets.empty()) {
      text += ".\n";
      continue;
    }
    text +=
        ".\n\n| preset | what | parameters | multiply-adds | reference | logits | gradients "
        "|\n|---|---|---|---|---|---|---|\n";
    for (const Preset& preset : info.presets) text += row(plugin, preset);
    for (const Preset& preset : info.presets)
      if (!preset.weights.empty())
        text += fmt::format("\n`{}`: weights are published as `{}` ({}).\n", preset.name, preset.weights,
                            preset.weights_from);
  }
  return text;
}

// Without the last two columns.
std::string without_differences(const std::string& text) {
  return std::regex_replace(text, std::regex(R"(\| ([-+.0-9e]+) \| ([-+.0-9e]+) \|\n)"), "|\n");
}

TEST(models_page, is_what_the_plugins_and_the_references_say) {
  const fs::path file = fs::path(KINEMA_SOURCE_DIR) / "docs" / "models.md";
  const std::string made = page();
  if (std::getenv("KINEMA_UPDATE_DOCS") != nullptr) std::ofstream(file) << made;
  std::ostringstream written;
  written << std::ifstream(file).rdbuf();
  EXPECT_EQ(without_differences(written.str()), without_differences(made))
      << "KINEMA_UPDATE_DOCS=1 writes it, after the tests of the models";
}

}  // namespace
}  // namespace kinema
