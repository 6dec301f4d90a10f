#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "framework/weights/fit.h"
#include "tests/support/pathway_reference.h"

// A ResNet-50 of images becomes the video networks that PySlowFast makes of it.
namespace kinema {
namespace {

const nlohmann::json& file() {
  static const nlohmann::json whole = test::golden("models/inflate_resnet50_i3d.json");
  return whole;
}

checkpoint::Weights of_images() {
  checkpoint::Weights weights;
  weights.source = "resnet50.pth";
  for (const nlohmann::json& entry : file()["state_dict_2d"])
    weights.tensors.push_back(
        {entry[0], test::reference_weight(entry[0], entry[1].get<std::vector<std::int64_t>>(), entry[3],
                                          file()["weight_salt"])});
  return weights;
}

std::shared_ptr<Model> inflated(const std::string& plugin, const std::string& preset, std::int64_t crop) {
  test::ModelPlugin models(plugin);
  Value options = models.preset(preset);
  options.set("crop", crop);
  options.set("dropout", 0.0);
  const auto model = models.make(options, 400);
  weights::load(*model, of_images());
  model->train(false);
  return model;
}

at::Tensor logits_of(Model& model, const at::Tensor& clip) {
  const at::NoGradGuard no_grad;
  ClipBatch batch;
  batch.clips["rgb"] = clip;
  return model.forward(batch).logits;
}

at::Tensor map_of(Model& model, const at::Tensor& clip) {
  const at::NoGradGuard no_grad;
  ClipBatch batch;
  batch.clips["rgb"] = clip;
  return dynamic_cast<HasFeatures&>(model).features(batch).at(0);
}

double distance(const at::Tensor& got, const nlohmann::json& expected) {
  const at::Tensor wanted = at::tensor(expected.get<std::vector<double>>(), at::kDouble);
  return got.to(at::kDouble).flatten().sub(wanted).abs().max().item<double>() / wanted.std().item<double>();
}

at::Tensor repeated(const at::Tensor& frame, std::int64_t frames) {
  return frame.unsqueeze(2)
      .expand({frame.size(0), frame.size(1), frames, frame.size(2), frame.size(3)})
      .contiguous();
}

TEST(inflation, gives_each_tensor_of_the_reference) {
  const auto model = inflated("i3d", "i3d_r50", 64);
  std::map<std::string, at::Tensor> state;
  for (const NamedTensor& named : model->state()) state[named.name] = named.tensor.detach();
  for (const nlohmann::json& t : file()["tensors"]) {
    const at::Tensor& own = state.at(t[2]);
    EXPECT_EQ(own.sizes().vec(), t[3].get<std::vector<std::int64_t>>()) << t[2];
    const at::Tensor values = own.to(at::kDouble).flatten();
    const double norm = t[6];
    EXPECT_NEAR(values.norm().item<double>(), norm, 1e-6 * norm) << t[2];
    EXPECT_NEAR(values.sum().item<double>(), t[5].get<double>(), 1e-6 * norm * std::sqrt(values.numel()))
        << t[2];
    const std::vector<double> first = t[7];
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_NEAR(values[static_cast<std::int64_t>(i)].item<double>(), first[i], 1e-7) << t[2];
  }
}

TEST(inflation, gives_the_reference_logits) {
  const nlohmann::json& cases = file()["cases"];
  const auto model = inflated("i3d", "i3d_r50", 64);
  EXPECT_LT(distance(logits_of(*model, test::reference_input(cases[1]["input_key"], {2, 3, 8, 64, 64})),
                     cases[1]["eval_logits"]),
            1e-4);
  const at::Tensor frame = test::reference_input(cases[0]["input_key"], {2, 3, 64, 64});
  EXPECT_LT(distance(logits_of(*model, repeated(frame, 8)), cases[2]["eval_logits"]), 1e-4);
}

TEST(inflation, without_kernels_over_time_is_the_image_network_on_a_repeated_frame) {
  const nlohmann::json& of_image = file()["cases"][0];
  const auto model = inflated("slowfast", "c2d_r50", 64);
  const at::Tensor frame = test::reference_input(of_image["input_key"], {2, 3, 64, 64});
  EXPECT_LT(distance(logits_of(*model, repeated(frame, 8)), of_image["eval_logits"]), 1e-4);
}

TEST(inflation, gives_the_image_network_s_features_away_from_the_padding_in_time) {
  constexpr std::int64_t kFrames = 48;  // the last stage sees 8 of its 24 frames to either side
  const at::Tensor frame = test::reference_input("input", {1, 3, 32, 32});
  const at::Tensor still = map_of(*inflated("slowfast", "c2d_r50", 32), repeated(frame, 2));
  const at::Tensor moving = map_of(*inflated("i3d", "i3d_r50", 32), repeated(frame, kFrames));
  const at::Tensor middle = moving.narrow(2, kFrames / 4 - 1, 2);
  EXPECT_LT(middle.sub(still.narrow(2, 0, 1)).abs().max().item<double>(), 1e-4 * still.std().item<double>());
  EXPECT_GT(moving.narrow(2, 0, 1).sub(still.narrow(2, 0, 1)).abs().max().item<double>(),
            0.01 * still.std().item<double>())
      << "the ends do differ";
}

}  // namespace
}  // namespace kinema
