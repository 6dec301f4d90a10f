#include <ATen/core/Tensor.h>
#include <ATen/ops/allclose.h>
#include <nlohmann/json.hpp>

#include <sstream>

#include "framework/checkpoint/safetensors.h"
#include "tests/e2e/project.h"
#include "tests/support/golden.h"

namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

checkpoint::Safetensors read(const fs::path& file) {
  return checkpoint::read_safetensors(checkpoint::real_file_system(), file.string());
}
at::Tensor tensor_of(const checkpoint::Safetensors& file, const std::string& name) {
  for (const NamedTensor& named : file.tensors)
    if (named.name == name) return named.tensor;
  throw std::runtime_error("no tensor " + name);
}

// The golden files hold fvcore's counts of torchvision's models: one multiply-add is one.
TEST(model_summary, counts_what_torchvision_has) {
  const Project project;
  for (const std::string preset : {"r3d_18", "mc3_18", "r2plus1d_18"}) {
    const nlohmann::json reference = test::golden("models/torchvision_" + preset + ".json");
    ASSERT_EQ(reference["flops"]["input_shape"], nlohmann::json({1, 3, 16, 112, 112}));
    const test::Finished run =
        project.kinema({"model", "summary", "--preset", preset, "--classes", "400", "--json"});
    ASSERT_TRUE(ended(run, 0));
    const nlohmann::json summary = nlohmann::json::parse(run.out);
    EXPECT_EQ(summary["parameters"], reference["num_parameters"]) << preset;
    EXPECT_EQ(summary["multiply_adds"], reference["flops"]["conv_and_matmul"]) << preset;
    std::int64_t parameters = 0, multiply_adds = 0;
    for (const nlohmann::json& layer : summary["layers"]) {
      parameters += layer["parameters"].get<std::int64_t>();
      multiply_adds += layer["multiply_adds"].get<std::int64_t>();
    }
    EXPECT_EQ(summary["parameters"], parameters) << preset;
    EXPECT_EQ(summary["multiply_adds"], multiply_adds) << preset;
  }
}

TEST(model_summary, counts_at_the_size_that_listed_transforms_leave) {
  const Project project;
  const auto layers_at = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"model", "summary", "tiny.toml", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const test::Finished run = project.kinema(arguments);
    EXPECT_TRUE(ended(run, 0));
    return nlohmann::json::parse(run.out)["layers"][0]["output"];
  };
  EXPECT_EQ(layers_at({R"(transform.eval=[{type="resize", size=[24, 40]}])"}),
            layers_at({"--input", "4", "24", "40"}));
  EXPECT_NE(layers_at({}), layers_at({"--input", "4", "24", "40"}));
}

TEST(model_summary, names_presets_that_come_near) {
  const Project project;
  const test::Finished run = project.kinema({"model", "summary", "--preset", "r3d18"});
  ASSERT_TRUE(ended(run, 2));
  EXPECT_THAT(run.err, HasSubstr("r3d_18"));
  const test::Finished neither = project.kinema({"model", "summary"});
  ASSERT_TRUE(ended(neither, 2));
  EXPECT_THAT(neither.err, HasSubstr("expected an experiment file or --preset, got neither"));
}

TEST(data_clip, writes_what_the_model_sees_and_the_bytes_before) {
  const Project project;
  const std::vector<std::string> clip = {"data", "clip", "tiny.toml", "--split", "val", "--index", "3"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), clip.begin(), clip.end());
    return project.kinema(more);
  };
  ASSERT_TRUE(ended(with({"--output", "final.safetensors"}), 0));
  ASSERT_TRUE(ended(with({"--stage", "decoded", "--output", "decoded.safetensors"}), 0));
  const checkpoint::Safetensors final_stage = read(project / "final.safetensors");
  const checkpoint::Safetensors decoded = read(project / "decoded.safetensors");
  EXPECT_EQ(tensor_of(final_stage, "rgb").sizes().vec(), (std::vector<std::int64_t>{3, 4, 16, 16}));
  EXPECT_EQ(tensor_of(decoded, "rgb").sizes().vec(), (std::vector<std::int64_t>{4, 32, 32, 3}));
  EXPECT_EQ(tensor_of(decoded, "rgb").scalar_type(), at::kByte);
  EXPECT_EQ(final_stage.metadata.at("frames"), decoded.metadata.at("frames"));
  EXPECT_EQ(
      std::count(final_stage.metadata.at("frames").begin(), final_stage.metadata.at("frames").end(), ','), 3);
  EXPECT_EQ(final_stage.metadata.at("key"), "left/001.mp4");
  EXPECT_EQ(final_stage.metadata.at("label"), "1");
  // A byte of the picture, normalised, is exactly one of 256 values.
  const at::Tensor bytes = tensor_of(final_stage, "rgb").mul(0.225).add(0.45).mul(255);
  EXPECT_TRUE(at::allclose(bytes, bytes.round(), 0, 1e-3));
}

TEST(data_clip, augmentation_is_a_function_of_the_epoch) {
  const Project project;
  const auto clip = [&](const std::string& epoch, const std::string& output) {
    return project.kinema(
        {"data", "clip", "tiny.toml", "--index", "2", "--epoch", epoch, "--output", output});
  };
  ASSERT_TRUE(ended(clip("0", "a"), 0));
  ASSERT_TRUE(ended(clip("0", "b"), 0));
  ASSERT_TRUE(ended(clip("5", "c"), 0));
  EXPECT_TRUE(text_of(project / "a") == text_of(project / "b"));
  EXPECT_FALSE(text_of(project / "a") == text_of(project / "c"));
  const test::Finished beyond =
      project.kinema({"data", "clip", "tiny.toml", "--index", "16", "--output", "d"});
  ASSERT_TRUE(ended(beyond, 2));
  EXPECT_THAT(beyond.err, HasSubstr("no such item: expected --index below 16, got 16"));
}

TEST(list, shows_a_refused_library_with_its_reason_and_ends_with_0) {
  const Project project;
  project.write("plugins/broken.so", "not a library");
  test::Command command = project.command({"list"});
  command.environment["KINEMA_PLUGIN_PATH"] = (project / "plugins").string();
  const test::Finished run = test::run(command);
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.out, HasSubstr("broken.so"));
  EXPECT_THAT(run.out, HasSubstr("resnet3d"));
  command.arguments = {"list", "model", "--json"};
  const test::Finished json = test::run(command);
  ASSERT_TRUE(ended(json, 0));
  const nlohmann::json all = nlohmann::json::parse(json.out);
  std::vector<std::string> models;
  for (const nlohmann::json& component : all["components"]) {
    EXPECT_EQ(component["kind"], "model");
    models.push_back(component["type"]);
  }
  EXPECT_THAT(models, testing::IsSupersetOf({"i3d", "resnet3d", "slowfast"}));
  int refused = 0;
  for (const nlohmann::json& library : all["libraries"]) refused += library["loaded"] == false;
  EXPECT_EQ(refused, 1);
}

TEST(describe, shows_the_options_of_a_model) {
  const Project project;
  const test::Finished run = project.kinema({"describe", "model", "resnet3d"});
  ASSERT_TRUE(ended(run, 0));
  for (const char* option : {"depth", "width", "dropout", "r3d_18"}) EXPECT_THAT(run.out, HasSubstr(option));
  const test::Finished json = project.kinema({"describe", "model", "resnet3d", "--json"});
  ASSERT_TRUE(ended(json, 0));
  EXPECT_GT(nlohmann::json::parse(json.out)["options"].size(), 5u);
  const test::Finished mistyped = project.kinema({"describe", "model", "resnet3"});
  ASSERT_TRUE(ended(mistyped, 2));
  EXPECT_THAT(mistyped.err, HasSubstr("did you mean \"resnet3d\"?"));
}

TEST(config_show, prints_an_experiment_that_runs_again_and_where_each_value_came_from) {
  const Project project;
  const test::Finished shown = project.kinema({"config", "show", "tiny.toml", "trainer.max_steps=1"});
  ASSERT_TRUE(ended(shown, 0));
  project.write("elsewhere/resolved.toml", shown.out);
  const test::Finished again = project.kinema({"config", "show", "elsewhere/resolved.toml"});
  ASSERT_TRUE(ended(again, 0));
  EXPECT_EQ(again.out, shown.out);
  ASSERT_TRUE(ended(project.kinema({"train", "elsewhere/resolved.toml"}), 0));
  const test::Finished origins =
      project.kinema({"config", "show", "tiny.toml", "trainer.max_steps=1", "--origin"});
  ASSERT_TRUE(ended(origins, 0));
  EXPECT_THAT(origins.out, HasSubstr("command line"));
  EXPECT_THAT(origins.out, HasSubstr("tiny.toml:"));
  EXPECT_THAT(origins.out, HasSubstr("default"));
}

}  // namespace
}  // namespace kinema::e2e
