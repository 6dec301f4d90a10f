#include "hara_block.h"

#include <ATen/ops/constant_pad_nd.h>

#include <algorithm>

#include "blocks/stage.h"

namespace kinema::resnet3d {
namespace {

Conv3dOptions conv(std::int64_t in, std::int64_t out, Extent<3> kernel, Extent<3> stride = 1) {
  const Extent<3> padding(kernel[0] / 2, kernel[1] / 2, kernel[2] / 2);
  return {.in = in, .out = out, .kernel = kernel, .stride = stride, .padding = padding, .bias = false};
}

std::vector<Convolution> convolutions(const Resnet3dOptions& o, const BlockShape& s) {
  if (!has_bottlenecks(o))
    return {{"1", conv(s.in, s.planes, 3, s.stride)}, {"2", conv(s.planes, s.planes, 3)}};
  const bool grouped = o.block == Block::resnext;
  const std::int64_t middle = grouped ? grouped_channels(o, s.planes) : s.planes;
  Conv3dOptions second = conv(middle, middle, 3, s.stride);
  if (grouped) second.groups = o.cardinality;
  return {{"1", conv(s.in, middle, 1)}, {"2", second}, {"3", conv(middle, block_channels(o, s.planes), 1)}};
}

std::vector<Convolution> all_factored(const std::vector<Convolution>& row) {
  std::vector<Convolution> result;
  for (const Convolution& c : row) {
    const bool has_time = c.conv.kernel[0] > 1;
    for (const Convolution& part : has_time ? factored(c, c.conv.in) : std::vector{c}) result.push_back(part);
  }
  return result;
}

// Shortcut A: every stride-th position, and zeros as new channels.
class ZeroChannels final : public Layer {
 public:
  ZeroChannels(std::int64_t stride, std::int64_t out) : stride_(stride), out_(out) {}

 protected:
  at::Tensor forward(const at::Tensor& x) override {
    at::Tensor y = x;
    for (std::int64_t d = 2; d < 5; ++d) y = y.slice(d, {}, {}, stride_);
    return at::constant_pad_nd(y, {0, 0, 0, 0, 0, 0, 0, out_ - y.size(1)});
  }

 private:
  std::int64_t stride_, out_;
};

std::shared_ptr<Layer> make_shortcut(Shortcut shortcut, std::int64_t in, std::int64_t out,
                                     std::int64_t stride) {
  if (stride == 1 && in == out) return nullptr;
  if (shortcut == Shortcut::zeros) return std::make_shared<ZeroChannels>(stride, out);
  return std::make_shared<Sequential>(std::initializer_list<std::shared_ptr<Layer>>{
      std::make_shared<Conv3d>(conv(in, out, 1, stride)), std::make_shared<BatchNorm>(out)});
}

// Convolutions in a row, each followed by a batch norm and, but for the last, a ReLU; or each behind both.
class ResidualBlock final : public Layer {
 public:
  ResidualBlock(const std::vector<Convolution>& row, bool norm_first, std::shared_ptr<Layer> shortcut)
      : norm_first_(norm_first) {
    for (const auto& [name, conv] : row) {
      if (norm_first) norms_.push_back(child<BatchNorm>("bn" + name, conv.in));
      convs_.push_back(child<Conv3d>("conv" + name, conv));
      if (!norm_first) norms_.push_back(child<BatchNorm>("bn" + name, conv.out));
    }
    relu_ = child<Relu>("relu", true);
    if (shortcut) downsample_ = child_of<Layer>("downsample", std::move(shortcut));
  }

 protected:
  at::Tensor forward(const at::Tensor& x) override {
    at::Tensor y = x;
    for (std::size_t i = 0; i < convs_.size(); ++i) {
      if (norm_first_)
        y = convs_[i](relu_(norms_[i](y)));
      else
        y = i == 0 ? norms_[i](convs_[i](y)) : norms_[i](convs_[i](relu_(y)));
    }
    const at::Tensor shortcut = downsample_ ? downsample_(x) : x;
    return norm_first_ ? y.add(shortcut) : blocks::add_relu(y, shortcut);
  }

 private:
  bool norm_first_;
  std::vector<Child<Conv3d>> convs_;
  std::vector<Child<BatchNorm>> norms_;
  Child<Relu> relu_;
  Child<Layer> downsample_;
};

}  // namespace

std::vector<Convolution> factored(const Convolution& convolution, std::int64_t counted_in) {
  const auto& [name, c] = convolution;
  const std::int64_t area = c.kernel[1] * c.kernel[2];
  const std::int64_t middle = std::max<std::int64_t>(
      1, counted_in * c.out * c.kernel[0] * area / (counted_in * area + c.kernel[0] * c.out));
  return {{name + "_s", conv(c.in, middle, {1, c.kernel[1], c.kernel[2]}, {1, c.stride[1], c.stride[2]})},
          {name + "_t", conv(middle, c.out, {c.kernel[0], 1, 1}, {c.stride[0], 1, 1})}};
}

std::vector<Convolution> stem_convolutions(const Resnet3dOptions& o, std::int64_t channels) {
  const Convolution stem{
      "1", conv(channels, planes_per_stage(o)[0], {o.stem_frames, 7, 7}, {o.stem_stride, 2, 2})};
  // Counted for 3 channels even where the clip has 2.
  return o.block == Block::factored ? factored(stem, 3) : std::vector{stem};
}

std::int64_t block_channels(const Resnet3dOptions& o, std::int64_t planes) {
  if (!has_bottlenecks(o)) return planes;
  return o.block == Block::wide || o.block == Block::resnext ? 2 * planes : 4 * planes;
}

std::shared_ptr<Layer> make_block(const Resnet3dOptions& o, const BlockShape& s) {
  std::vector<Convolution> row = convolutions(o, s);
  if (o.block == Block::factored) row = all_factored(row);
  return std::make_shared<ResidualBlock>(
      row, o.block == Block::preact, make_shortcut(o.shortcut, s.in, block_channels(o, s.planes), s.stride));
}

}  // namespace kinema::resnet3d
