#include "tests/support/conformance.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>

#include "kinema/error.h"
#include "tests/support/reference.h"

namespace kinema::test {
namespace {

using Sizes = std::vector<std::int64_t>;

ClipBatch clip_of(const Conformance& subject, std::int64_t samples, const Sizes& size,
                  at::ScalarType dtype = at::kFloat) {
  ClipBatch batch;
  for (const std::string& modality : subject.modalities)
    batch.clips[modality] =
        reference_input(modality, {samples, modality == "flow" ? 2 : 3, size[0], size[1], size[2]}).to(dtype);
  if (!subject.boxes) return batch;
  std::vector<double> boxes;
  for (std::int64_t i = 0; i < samples; ++i)
    for (const double side : {static_cast<double>(i), 1.0, 2.0, size[2] * 0.7, size[1] * 0.9})
      boxes.push_back(side);
  batch.boxes = at::tensor(boxes).view({samples, 5}).to(dtype);
  return batch;
}

at::Tensor logits_of(Model& model, const ClipBatch& batch) {
  const at::NoGradGuard no_grad;
  return model.forward(batch).logits;
}

double relative_distance(const at::Tensor& a, const at::Tensor& b) {
  return a.sub(b).abs().max().item<double>() / std::max(1e-12, b.std().item<double>());
}

// Away from zeros that an initialisation sets: behind them nothing gets a gradient at first.
std::shared_ptr<Model> in_general_position(const Conformance& subject) {
  const auto model = subject.make();
  const at::NoGradGuard no_grad;
  for (NamedTensor& named : model->parameters())
    named.tensor.add_(
        reference_tensor(named.name, named.tensor.sizes(), [](double u) { return (2 * u - 1) * 0.05; }));
  return model;
}

void expect_gradients(const Conformance& subject) {
  const auto model = in_general_position(subject);
  const at::Tensor logits = model->forward(clip_of(subject, 2, subject.clip)).logits;
  logits.select(1, 3).sum().sub(logits.logsumexp(1).sum()).backward();
  for (const NamedTensor& named : model->parameters()) {
    const at::Tensor gradient = named.tensor.grad();
    ASSERT_TRUE(gradient.defined()) << named.name << " gets no gradient";
    const double size = gradient.abs().sum().item<double>();
    const bool excused = std::any_of(subject.no_gradient.begin(), subject.no_gradient.end(),
                                     [&](const std::string& end) { return named.name.ends_with(end); });
    EXPECT_TRUE(std::isfinite(size)) << named.name;
    EXPECT_TRUE(excused || size > 0) << named.name << " gets a gradient of zeros";
  }
}

void expect_single_samples(const Conformance& subject) {
  const auto model = subject.make();
  const ClipBatch one = clip_of(subject, 1, subject.clip);
  EXPECT_TRUE(logits_of(*model, one).isfinite().all().item<bool>()) << "a batch of one in train mode";
  model->train(false);
  const at::Tensor first = logits_of(*model, one);
  EXPECT_EQ(first.size(0), 1);
  EXPECT_TRUE(logits_of(*model, one).equal(first)) << "eval mode is not deterministic";
}

// Runs, or says in the project's words why not.
void expect_runs_or_refuses(const Conformance& subject, Model& model, const Sizes& size) {
  try {
    EXPECT_TRUE(logits_of(model, clip_of(subject, 1, size)).isfinite().all().item<bool>());
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("expected"), std::string::npos) << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "a clip of " << size[0] << " x " << size[1] << " x " << size[2]
                  << " ends in another kind of error: " << error.what();
  }
}

void expect_other_sizes(const Conformance& subject) {
  const auto model = subject.make();
  model->train(false);
  const Sizes& s = subject.clip;
  for (const Sizes& size : {Sizes{s[0] + 1, s[1] + 5, s[2] + 9}, Sizes{s[0] * 2, s[1], s[2] + 32},
                            Sizes{1, 8, 8}, Sizes{2, 33, 17}})
    expect_runs_or_refuses(subject, *model, size);
}

void expect_state_round_trip(const Conformance& subject) {
  const auto model = subject.make(), other = subject.make();
  for (NamedTensor& named : model->parameters()) {
    const at::NoGradGuard no_grad;
    named.tensor.mul_(1.25);
  }
  other->load_state(model->state());
  model->train(false);
  other->train(false);
  const ClipBatch batch = clip_of(subject, 1, subject.clip);
  EXPECT_TRUE(logits_of(*model, batch).equal(logits_of(*other, batch)))
      << "the state does not hold everything";
}

void expect_same_in_every_layout(const Conformance& subject) {
  const auto model = subject.make();
  model->train(false);
  const at::Tensor expected = logits_of(*model, clip_of(subject, 2, subject.clip));
  model->to(at::MemoryFormat::ChannelsLast3d);
  ClipBatch batch = clip_of(subject, 2, subject.clip);
  for (auto& [modality, clip] : batch.clips) clip = clip.contiguous(at::MemoryFormat::ChannelsLast3d);
  EXPECT_LT(relative_distance(logits_of(*model, batch), expected), 1e-3) << "channels last differs";
  model->to(at::kDouble);
  EXPECT_LT(relative_distance(logits_of(*model, clip_of(subject, 2, subject.clip, at::kDouble)), expected),
            1e-3)
      << "float64 differs";
}

void expect_features(const Conformance& subject) {
  const auto model = subject.make();
  auto* backbone = dynamic_cast<HasFeatures*>(model.get());
  if (backbone == nullptr) return;
  model->train(false);
  ASSERT_NE(model->find(backbone->head()), nullptr) << "no module " << backbone->head();
  const std::vector<std::int64_t> channels = backbone->feature_channels();
  model->erase(backbone->head());
  const at::NoGradGuard no_grad;
  const std::vector<at::Tensor> maps = backbone->features(clip_of(subject, 1, subject.clip));
  ASSERT_EQ(maps.size(), channels.size());
  for (std::size_t p = 0; p < maps.size(); ++p) EXPECT_EQ(maps[p].size(1), channels[p]) << "pathway " << p;
}

}  // namespace

void expect_conformance(const Conformance& subject) {
  expect_gradients(subject);
  expect_single_samples(subject);
  expect_other_sizes(subject);
  expect_state_round_trip(subject);
  expect_same_in_every_layout(subject);
  expect_features(subject);
}

}  // namespace kinema::test
