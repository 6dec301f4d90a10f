#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/kl_div.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/layers.h"
#include "kinema/loss.h"
#include "kinema/plugin.h"
#include "tests/support/loss_reference.h"
#include "tests/support/plugin_under_test.h"
#include "tests/support/scratch.h"

namespace kinema {
namespace {

using testing::HasSubstr;

// Says a linear function of the clip's three channels for three classes.
struct Teacher : Model {
  at::Tensor& weight = parameter("weight", at::zeros({3, 3}));
  Output forward(const ClipBatch& batch) override {
    EXPECT_FALSE(training());
    EXPECT_FALSE(at::GradMode::is_enabled());
    return {batch.rgb().mean(at::IntArrayRef({2, 3, 4})).matmul(weight), {}};
  }
};

struct distillation : testing::Test {
  std::unique_ptr<test::ComponentsUnderTest> host = test::plugin_under_test("distillation");
  std::shared_ptr<Teacher> teacher = std::make_shared<Teacher>();
  const at::Tensor taught = at::tensor({2., -1., 0.5, 0., 3., 1., 1., 1., -2.}).view({3, 3});
  ClipBatch clips;
  TargetBatch target;

  void SetUp() override {
    test::registration_of("cross_entropy")(*host);
    host->add<Model>("teacher", "", Options<NoOptions>(),
                     [this](const NoOptions&, Context&) { return teacher; });
    host->on_load = [this](Model& model, const std::filesystem::path& file) {
      EXPECT_EQ(&model, teacher.get());
      EXPECT_EQ(file, "teacher.pth");
      const at::NoGradGuard no_grad;
      teacher->weight.copy_(taught);
    };
    clips.clips["rgb"] = at::tensor({1., 0., 0., 0., 1., 0.}).to(at::kFloat).view({2, 3, 1, 1, 1});
    target.labels = at::tensor({0, 2}, at::kLong);
    target.clips = &clips;
  }
  std::shared_ptr<Loss> make(std::vector<std::pair<std::string, Value>> more = {}) {
    Value options = Value::table();
    Value model = Value::table();
    model.set("type", "teacher");
    options.set("teacher", std::move(model));
    options.set("weights", "teacher.pth");
    for (auto& [key, value] : more) options.set(key, std::move(value));
    return host->make<Loss>("distillation", options);
  }
  static at::Tensor scores() {
    return at::tensor({0.3, -0.2, 1., 2., 0.1, -1.}).view({2, 3}).set_requires_grad(true);
  }
  at::Tensor said() const { return taught.slice(0, 0, 2); }
};

// torch.nn.functional.kl_div(log_softmax(s / T), softmax(t / T), reduction="batchmean") * T * T
TEST_F(distillation, is_the_divergence_from_the_softened_teacher) {
  for (const double t : {1.0, 4.0}) {
    const auto loss = make({{"temperature", Value(t)}, {"alpha", Value(1.0)}});
    const at::Tensor student = scores(), other = scores();
    const LossValue value = (*loss)({student, {}}, target);
    const at::Tensor expected =
        at::kl_div(at::log_softmax(other / t, 1), at::softmax(said() / t, 1), at::Reduction::Sum) *
        (t * t / 2);
    EXPECT_NEAR(value.total.item<double>(), expected.item<double>(), 1e-6);
    value.total.backward();
    expected.backward();
    EXPECT_TRUE(student.grad().allclose(other.grad(), 1e-5, 1e-6)) << t;
  }
}

TEST_F(distillation, several_classes_are_each_on_their_own) {
  const auto loss = make({{"scores", Value("sigmoid")}, {"temperature", Value(2.0)}, {"alpha", Value(1.0)}});
  const at::Tensor p = at::sigmoid(said() / 2), q = at::sigmoid(scores() / 2);
  const at::Tensor expected = (p * (p / q).log() + (1 - p) * ((1 - p) / (1 - q)).log()).mean() * 4;
  EXPECT_NEAR((*loss)({scores(), {}}, target).total.item<double>(), expected.item<double>(), 1e-6);
}

TEST_F(distillation, labels_have_the_rest) {
  Value labels = Value::table();
  labels.set("type", "cross_entropy");
  const auto both = make({{"alpha", Value(0.25)}, {"loss", labels}});
  const double teacher_alone = (*make({{"alpha", Value(1.0)}}))({scores(), {}}, target).total.item<double>();
  const double labels_alone =
      (*host->make<Loss>("cross_entropy", Value::table()))({scores(), {}}, target).total.item<double>();
  const LossValue value = (*both)({scores(), {}}, target);
  EXPECT_NEAR(value.total.item<double>(), 0.25 * teacher_alone + 0.75 * labels_alone, 1e-6);
  ASSERT_EQ(value.parts.size(), 2u);
  EXPECT_EQ(value.parts[1].name, "labels");
}

TEST_F(distillation, an_item_s_weight_counts) {
  target.weight = at::tensor({3., 0.}).to(at::kFloat);
  const LossValue value = (*make({{"alpha", Value(1.0)}}))({scores(), {}}, target);
  target.weight = at::Tensor();
  ClipBatch first;
  first.clips["rgb"] = clips.clips["rgb"].narrow(0, 0, 1);
  target.clips = &first;
  const LossValue alone = (*make({{"alpha", Value(1.0)}}))({scores().narrow(0, 0, 1), {}}, target);
  EXPECT_NEAR(value.total.item<double>(), alone.total.item<double>(), 1e-6);
}

TEST_F(distillation, the_teacher_is_neither_trained_nor_saved) {
  const auto loss = make();
  EXPECT_TRUE(loss->parameters().empty());
  EXPECT_TRUE(loss->state().empty());
  loss->train(true);
  (*loss)({scores(), {}}, target).total.backward();
  EXPECT_FALSE(teacher->weight.grad().defined());
}

TEST_F(distillation, a_teacher_of_other_classes_and_missing_clips_are_errors) {
  const auto loss = make();
  EXPECT_THAT(test::error_of([&] {
                (*loss)({at::zeros({2, 4}), {}}, target);
              }),
              HasSubstr("bad shape of the teacher's logits: expected [2, 4], got [2, 3]"));
  target.clips = nullptr;
  EXPECT_THAT(test::error_of([&] { (*loss)({scores(), {}}, target); }), HasSubstr("no clips"));
  Value options = Value::table();
  EXPECT_THAT(host->problems("loss", "distillation", options), HasSubstr("teacher"));
}

}  // namespace
}  // namespace kinema
