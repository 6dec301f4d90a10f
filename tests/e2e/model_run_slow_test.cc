#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/safetensors.h"
#include "tests/e2e/project.h"
#include "tests/support/golden.h"
#include "tests/support/reference.h"

namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

checkpoint::Safetensors read(const fs::path& file) {
  return checkpoint::read_safetensors(checkpoint::real_file_system(), file.string());
}
void write(const fs::path& file, const std::vector<NamedTensor>& tensors) {
  fs::remove(file);
  checkpoint::write_safetensors(checkpoint::real_file_system(), file.string(), tensors);
}
at::Tensor tensor_of(const checkpoint::Safetensors& file, const std::string& name) {
  for (const NamedTensor& named : file.tensors)
    if (named.name == name) return named.tensor;
  throw std::runtime_error("no tensor " + name);
}

// The first case of torchvision's numbers, through files.
class model_run : public testing::Test {
 protected:
  void SetUp() override {
    write(project / "weights.safetensors", test::reference_state(file, example));
    write(project / "in.safetensors",
          {{"rgb", test::reference_input(example["input_key"],
                                         example["input_shape"].get<std::vector<std::int64_t>>())}});
  }
  test::Finished run(std::vector<std::string> more) const {
    more.insert(more.begin(),
                {"model", "run", "--preset", "r3d_18", "--classes", "400", "--weights", "weights.safetensors",
                 "--input", "in.safetensors", "--output", "out.safetensors"});
    return project.kinema(more);
  }
  checkpoint::Safetensors output() const { return read(project / "out.safetensors"); }
  static double distance(const at::Tensor& a, const nlohmann::json& b) {
    const at::Tensor expected = at::tensor(b.get<std::vector<double>>(), at::kDouble);
    return a.to(at::kDouble).flatten().sub(expected).abs().max().item<double>();
  }
  const nlohmann::json file = test::golden("models/torchvision_r3d_18.json");
  const nlohmann::json example = file["cases"].at(0);
  const Project project;
};

TEST_F(model_run, gives_torchvisions_logits_in_both_precisions) {
  const double std = example["eval_logits_std"];
  ASSERT_TRUE(ended(run({}), 0));
  EXPECT_LT(distance(tensor_of(output(), "logits"), example["eval_logits"]), 1e-4 * std);
  ASSERT_TRUE(ended(run({"--dtype", "float64"}), 0));
  EXPECT_EQ(tensor_of(output(), "logits").scalar_type(), at::kDouble);
  EXPECT_LT(distance(tensor_of(output(), "logits"), example["eval_logits_f64"]), 1e-10 * std);
}

TEST_F(model_run, gives_loss_and_gradients_with_a_label) {
  const nlohmann::json& train = example["train"];
  const nlohmann::json& expected = train["f64"];
  ASSERT_TRUE(
      ended(run({"--dtype", "float64", "--train-loss", std::to_string(train["label"].get<int>())}), 0));
  const checkpoint::Safetensors out = output();
  EXPECT_NEAR(tensor_of(out, "loss").item<double>(), expected["loss"].get<double>(), 1e-9);
  for (const nlohmann::json& gradient : expected["grads"])
    EXPECT_NEAR(tensor_of(out, gradient["key"]).norm().item<double>(), gradient["l2"].get<double>(),
                1e-6 * gradient["l2"].get<double>() + 1e-9)
        << gradient["key"];
}

TEST_F(model_run, refuses_inputs_and_labels_that_do_not_fit) {
  const test::Finished label = run({"--train-loss", "400"});
  EXPECT_TRUE(ended(label, 2));
  EXPECT_THAT(label.err, HasSubstr("--train-loss"));
  write(project / "in.safetensors", {{"rgb", at::zeros({3, 8, 64, 64}, at::kFloat)}});
  const test::Finished shape = run({});
  EXPECT_TRUE(ended(shape, 4));
  EXPECT_THAT(shape.err, HasSubstr("wrong shape of rgb: expected [N, C, T, H, W], got 4 dimensions"));
  write(project / "in.safetensors", {{"flow", at::zeros({1, 2, 8, 64, 64}, at::kFloat)}});
  const test::Finished modality = run({});
  EXPECT_NE(modality.code, 0);
  EXPECT_THAT(modality.err, HasSubstr("flow"));
  EXPECT_THAT(modality.err, HasSubstr("rgb"));
  write(project / "in.safetensors", {{"rgb", at::zeros({1, 4, 8, 64, 64}, at::kFloat)}});
  const test::Finished channels = run({});
  EXPECT_NE(channels.code, 0);
  EXPECT_THAT(channels.err, Not(HasSubstr("Exception raised from")));
  EXPECT_THAT(channels.err, Not(HasSubstr("frame #")));
}

}  // namespace
}  // namespace kinema::e2e
