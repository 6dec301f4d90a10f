#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "kinema/module.h"
#include "kinema/run_context.h"

namespace kinema {

// A size per spatial dimension; one number means the same for all: `.kernel = 3`, `.kernel = {1, 3, 3}`.
template <std::size_t D>
struct Extent : std::array<std::int64_t, D> {
  Extent(std::int64_t all = 1) { this->fill(all); }  // NOLINT: implicit on purpose
  template <class... I>
  requires(sizeof...(I) == D && D > 1) Extent(I... each)
      : std::array<std::int64_t, D>{static_cast<std::int64_t>(each)...} {}
};

// Convolution over D dimensions, semantics and names of torch.nn.ConvDd (zero padding): parameters `weight`
// [out, in / groups, kernel...] and `bias` [out]; initialised like torch's.
template <std::size_t D>
struct ConvOptions {
  std::int64_t in = 0;
  std::int64_t out = 0;
  Extent<D> kernel = 1;
  Extent<D> stride = 1;
  Extent<D> padding = 0;
  Extent<D> dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};
template <std::size_t D>
class KINEMA_API Conv : public Layer {
 public:
  explicit Conv(const ConvOptions<D>& options);
  const ConvOptions<D>& options() const noexcept { return options_; }
  at::Tensor& weight() { return weight_; }
  at::Tensor& bias() { return bias_; }  // undefined without a bias
  std::string type_name() const override;

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  ConvOptions<D> options_;
  at::Tensor& weight_;
  at::Tensor& bias_;
};
extern template class Conv<1>;
extern template class Conv<2>;
extern template class Conv<3>;
using Conv1d = Conv<1>;
using Conv2d = Conv<2>;
using Conv3d = Conv<3>;
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;

// Batch normalisation over dimension 1 of an input of any rank from 2 on; semantics and names of
// torch.nn.BatchNormNd with affine and running statistics: `weight`, `bias`, `running_mean`, `running_var`,
// `num_batches_tracked`. The run context makes it synchronised over ranks or frozen.
struct BatchNormOptions {
  std::int64_t features = 0;
  double eps = 1e-5;
  double momentum = 0.1;
};
class KINEMA_API BatchNorm : public Layer {
 public:
  explicit BatchNorm(const BatchNormOptions& options);
  explicit BatchNorm(std::int64_t features) : BatchNorm(BatchNormOptions{.features = features}) {}
  at::Tensor& weight() { return weight_; }
  at::Tensor& bias() { return bias_; }

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  BatchNormOptions options_;
  at::Tensor& weight_;
  at::Tensor& bias_;
  at::Tensor& running_mean_;
  at::Tensor& running_var_;
  at::Tensor& num_batches_tracked_;
};

// torch.nn.LayerNorm over the last dimension: `weight`, `bias`.
class KINEMA_API LayerNorm : public Layer {
 public:
  explicit LayerNorm(std::int64_t features, double eps = 1e-5);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  std::int64_t features_;
  double eps_;
  at::Tensor& weight_;
  at::Tensor& bias_;
};

// torch.nn.Linear over the last dimension: `weight` [out, in], `bias` [out].
struct LinearOptions {
  std::int64_t in = 0;
  std::int64_t out = 0;
  bool bias = true;
};
class KINEMA_API Linear : public Layer {
 public:
  explicit Linear(const LinearOptions& options);
  Linear(std::int64_t in, std::int64_t out) : Linear(LinearOptions{.in = in, .out = out}) {}
  const LinearOptions& options() const noexcept { return options_; }
  at::Tensor& weight() { return weight_; }
  at::Tensor& bias() { return bias_; }

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  LinearOptions options_;
  at::Tensor& weight_;
  at::Tensor& bias_;
};

// Zeroes values with probability p in train mode and scales the others by 1 / (1 - p). Draws from torch's
// default generator of the input's device, which the trainer seeds for each micro-batch.
class KINEMA_API Dropout : public Layer {
 public:
  explicit Dropout(double p);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  double p_;
};

// Leaves out a sample's whole branch with probability p in train mode and scales the others by 1 / (1 - p):
// Huang et al. 2016, "Deep Networks with Stochastic Depth". Draws as Dropout does, once a sample.
class KINEMA_API StochasticDepth : public Layer {
 public:
  explicit StochasticDepth(double p);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  double p_;
};

enum class ActivationKind { relu, leaky_relu, gelu, silu, sigmoid, tanh, hardswish };
class KINEMA_API Activation : public Layer {
 public:
  explicit Activation(ActivationKind kind);
  std::string type_name() const override;

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  ActivationKind kind_;
};
// With `in_place` the input is overwritten, which saves memory after a batch norm or an addition, whose
// backward passes do not need their results. Under a tap, and for a leaf, it is not.
class KINEMA_API Relu : public Activation {
 public:
  explicit Relu(bool in_place = false);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  bool in_place_;
};

// Pools over three dimensions, semantics of torch.nn.MaxPool3d / AvgPool3d (zeros of the padding are
// counted).
struct Pool3dOptions {
  Extent<3> kernel = 1;
  Extent<3> stride = 1;
  Extent<3> padding = 0;
  bool ceil_mode = false;
};
class KINEMA_API MaxPool3d : public Layer {
 public:
  explicit MaxPool3d(const Pool3dOptions& options);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  Pool3dOptions options_;
};
class KINEMA_API AvgPool3d : public Layer {
 public:
  explicit AvgPool3d(const Pool3dOptions& options);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  Pool3dOptions options_;
};
// Mean to a fixed output size, torch.nn.AdaptiveAvgPool3d.
class KINEMA_API AdaptiveAvgPool3d : public Layer {
 public:
  explicit AdaptiveAvgPool3d(Extent<3> output = 1);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  Extent<3> output_;
};

// Layers in a row. Children are named "0", "1", ... as in torch.nn.Sequential, or by given names.
class KINEMA_API Sequential : public Layer {
 public:
  Sequential();
  Sequential(std::initializer_list<std::shared_ptr<Layer>> layers);
  Sequential& add(std::shared_ptr<Layer> layer, std::string name = {});
  std::size_t size() const noexcept { return layers_.size(); }

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  std::vector<Child<Layer>> layers_;
};

// Initialisers of the reference implementations, in place, drawing from torch's default CPU generator.
namespace init {
KINEMA_API void kaiming_normal_fan_out(
    at::Tensor& weight);  // std sqrt(2 / fan_out): He et al. 2015, for ReLU
KINEMA_API void normal(at::Tensor& weight, double std);
// Normal of mean 0 without the values beyond -2 and 2, as torch.nn.init.trunc_normal_.
KINEMA_API void truncated_normal(at::Tensor& weight, double std);
KINEMA_API void constant(at::Tensor& tensor, double value);
}  // namespace init

}  // namespace kinema
