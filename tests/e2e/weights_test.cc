#include <ATen/core/Tensor.h>

#include <map>

#include "framework/checkpoint/weights.h"
#include "tests/e2e/project.h"

// Weights that go in and out: conversion, fine-tuning, freezing.
namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::map<std::string, at::Tensor> tensors_of(const fs::path& file) {
  std::map<std::string, at::Tensor> all;
  for (const NamedTensor& named :
       checkpoint::load_weights(checkpoint::real_file_system(), file.string()).tensors)
    all[named.name] = named.tensor;
  return all;
}

void expect_equal(const std::map<std::string, at::Tensor>& a, const std::map<std::string, at::Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    ASSERT_TRUE(b.contains(name)) << name;
    EXPECT_TRUE(tensor.equal(b.at(name))) << name;
  }
}

class trained : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    project = std::make_unique<Project>();
    ASSERT_TRUE(ended(project->train({"trainer.epochs=1"}), 0));
    checkpoint = fs::canonical(project->last_checkpoint()).string();
    for (const char* split : {"train", "test"})
      for (const char* name : {"left", "right"})
        fs::copy(project->folder() / "clips" / split / name, project->folder() / "two" / split / name,
                 (fs::create_directories(project->folder() / "two" / split), fs::copy_options::recursive));
  }
  static void TearDownTestSuite() { project.reset(); }

  static std::unique_ptr<Project> project;
  static std::string checkpoint;
};
std::unique_ptr<Project> trained::project;
std::string trained::checkpoint;

TEST_F(trained, weights_go_from_one_format_to_another_and_back) {
  const test::Finished to_python = project->kinema({"convert", checkpoint, "model.pth"});
  ASSERT_TRUE(ended(to_python, 0));
  EXPECT_THAT(to_python.out, HasSubstr("tensors in model.pth"));
  ASSERT_TRUE(ended(project->kinema({"convert", "model.pth", "back.safetensors"}), 0));
  expect_equal(tensors_of(checkpoint), tensors_of(*project / "model.pth"));
  expect_equal(tensors_of(checkpoint), tensors_of(*project / "back.safetensors"));
}

TEST_F(trained, a_conversion_refuses_names_and_files_that_it_does_not_know) {
  const test::Finished ending = project->kinema({"convert", checkpoint, "model.bin"});
  ASSERT_TRUE(ended(ending, 2));
  EXPECT_THAT(ending.err, HasSubstr("expected a name in .safetensors, .pth, .pt or .pyth, got \".bin\""));
  ASSERT_TRUE(ended(project->kinema({"convert", "tiny.toml", "model.pth"}), 4));
  EXPECT_FALSE(fs::exists(*project / "model.bin"));
}

TEST_F(trained, a_conversion_to_a_model_s_names_says_what_does_not_fit) {
  ASSERT_TRUE(ended(project->kinema({"convert", checkpoint, "same.safetensors", "tiny.toml"}), 0));
  expect_equal(tensors_of(checkpoint), tensors_of(*project / "same.safetensors"));
  const test::Finished wider =
      project->kinema({"convert", checkpoint, "wider.safetensors", "tiny.toml", "model.blocks=[2]"});
  ASSERT_TRUE(ended(wider, 4));
  EXPECT_THAT(wider.err,
              HasSubstr("missing tensor \"layer1.1.conv1.0.weight\": expected [4, 4, 3, 3, 3], got none"));
  EXPECT_FALSE(fs::exists(*project / "wider.safetensors"));
  const test::Finished lenient = project->kinema(
      {"convert", checkpoint, "wider.safetensors", "tiny.toml", "model.blocks=[2]", "--lenient"});
  ASSERT_TRUE(ended(lenient, 0));
  EXPECT_THAT(lenient.err, HasSubstr("not in the file, left as drawn: layer1.1.conv1.0.weight"));
}

TEST_F(trained, weights_start_a_run_on_other_classes_with_a_head_of_its_own) {
  const test::Finished run = project->train({"name=fine", "trainer.epochs=1", "model.weights=" + checkpoint,
                                             "data.train.root=two/train", "data.val.root=two/test",
                                             "model.freeze=[\"^stem\", \"^layer1\"]",
                                             "optimizer.group=[{parameters=\"bias$\", lr_scale=2}]"});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.err, HasSubstr("fc replaced: the file has 4 classes, the model 2"));
  EXPECT_THAT(run.err, HasSubstr("frozen: "));
  const auto before = tensors_of(checkpoint);
  const auto after = tensors_of(*project / "runs/fine/latest/checkpoints/last");
  for (const auto& [name, tensor] : before) {
    if (name.starts_with("fc")) continue;
    EXPECT_TRUE(tensor.equal(after.at(name))) << name << " was frozen, its statistics too";
  }
  EXPECT_EQ(after.at("fc.weight").size(0), 2);
  ASSERT_TRUE(ended(project->train({"name=fine", "trainer.epochs=2", "model.weights=" + checkpoint,
                                    "data.train.root=two/train", "data.val.root=two/test",
                                    "model.freeze=[\"^stem\", \"^layer1\"]", "--resume"}),
                    0));
}

TEST_F(trained, norms_keep_their_statistics_on_request) {
  ASSERT_TRUE(ended(project->train({"name=norms", "trainer.epochs=1", "model.weights=" + checkpoint,
                                    "model.freeze_norm=true"}),
                    0));
  const auto before = tensors_of(checkpoint);
  const auto after = tensors_of(*project / "runs/norms/latest/checkpoints/last");
  EXPECT_TRUE(before.at("stem.1.running_mean").equal(after.at("stem.1.running_mean")));
  EXPECT_FALSE(before.at("stem.1.weight").equal(after.at("stem.1.weight")));
}

TEST_F(trained, a_smaller_network_learns_from_it) {
  const std::vector<std::string> student = {
      "name=student", "model.width=2",
      "loss={type=\"distillation\", weights=\"" + checkpoint +
          "\", teacher={type=\"resnet3d\", blocks=[1], width=4}, loss={type=\"cross_entropy\"}}"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), student.begin(), student.end());
    return more;
  };
  const test::Finished run = project->train(with({"trainer.epochs=1"}));
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.err, HasSubstr("weights from " + checkpoint));
  const auto saved = tensors_of(*project / "runs/student/latest/checkpoints/last");
  EXPECT_EQ(saved.at("fc.weight").size(1), 2) << "the student's";
  ASSERT_TRUE(ended(project->train(with({"trainer.epochs=2", "--resume"})), 0));
  const test::Finished other = project->train(with({"loss.teacher.width=8"}));
  ASSERT_TRUE(ended(other, 4));
  EXPECT_THAT(other.err,
              HasSubstr("wrong shape of tensor \"stem.0.weight\": expected [8, 3, 3, 7, 7], got [4"));
}

TEST_F(trained, what_cannot_be_meant_is_refused) {
  const test::Finished missing = project->train({"name=no", "model.weights=nowhere.pth"});
  ASSERT_TRUE(ended(missing, 4));
  EXPECT_THAT(missing.err,
              HasSubstr("no such file or folder: expected the weights of [model], got nothing there"));
  const test::Finished published =
      project->train({"name=no", "model={type=\"x3d\", preset=\"x3d_s\", weights=\"X3D_S.pyth\"}"});
  ASSERT_TRUE(ended(published, 4));
  EXPECT_THAT(published.err, HasSubstr("the weights of x3d_s as x3d_s.pyth ("));
  const test::Finished nothing_found = project->train({"name=no", "model.freeze=[\"stm\"]"});
  ASSERT_TRUE(ended(nothing_found, 2));
  EXPECT_THAT(nothing_found.err, HasSubstr("did you mean \"stem\"?"));
  const test::Finished useless = project->train({"name=no", "model.strict=false"});
  ASSERT_TRUE(ended(useless, 2));
  EXPECT_THAT(useless.err, HasSubstr("strict without weights"));
  const test::Finished broken = project->train({"name=no", "model.freeze=[\"(\"]"});
  ASSERT_TRUE(ended(broken, 2));
  EXPECT_THAT(broken.err, HasSubstr("a regular expression (ECMAScript)"));
  const std::string deep = std::string(30000, '(') + std::string(30000, ')');
  ASSERT_TRUE(ended(project->train({"name=no", "model.freeze=[\"" + deep + "\"]"}), 2));
  EXPECT_FALSE(fs::exists(*project / "runs/no"));
}

}  // namespace
}  // namespace kinema::e2e
