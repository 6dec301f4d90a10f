#include "conv3d_weight_grad.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <vector>

namespace kinema::conv3d {
namespace {

constexpr std::int64_t kShortestRow = 12;  // below it ATen's matrix product was as fast (bench/conv_bench.cc)
constexpr auto kLast = at::MemoryFormat::ChannelsLast3d;

// One convolution's sizes; d, h, w are frames, rows and columns.
struct Sizes {
  std::int64_t n, in, out, in_d, in_h, in_w, out_d, out_h, out_w, window, padded_window;
  const Conv3dOptions& options;
};

Sizes sizes_of(const at::Tensor& x, const at::Tensor& grad, const Conv3dOptions& o, std::int64_t lanes) {
  const std::int64_t window = o.kernel[2] * o.in;
  return {x.size(0),
          o.in,
          o.out,
          x.size(2),
          x.size(3),
          x.size(4),
          grad.size(2),
          grad.size(3),
          grad.size(4),
          window,
          (window + lanes - 1) / lanes * lanes,
          o};
}

// The weight gradient of a share of the output frames, summed into [kernel d * kernel h, out, padded window].
class Share {
 public:
  Share(const Sizes& sizes, const WeightRowKernel& kernel, const float* x, const float* grad, float* sum)
      : s_(sizes), kernel_(kernel), x_(x), grad_(grad), sum_(sum) {
    const Conv3dOptions& o = s_.options;
    row_size_ = std::max(s_.in_w + 2 * o.padding[2], (s_.out_w - 1) * o.stride[2] + o.kernel[2]) * s_.in;
    rows_.assign(static_cast<std::size_t>(row_size_ * s_.in_h + kernel.lanes), 0.0f);
  }

  // Frame `frame` of the N * T' output frames.
  void add(std::int64_t frame) {
    const Conv3dOptions& o = s_.options;
    const std::int64_t item = frame / s_.out_d;
    const std::int64_t first = frame % s_.out_d * o.stride[0] - o.padding[0];
    for (std::int64_t k = 0; k < o.kernel[0]; ++k)
      if (first + k >= 0 && first + k < s_.in_d) add_frame(frame, item * s_.in_d + first + k, k);
  }

 private:
  // Input rows are copied between their zeros just before their first use and stay for the rows below.
  void add_frame(std::int64_t out_frame, std::int64_t in_frame, std::int64_t kernel_d) {
    const Conv3dOptions& o = s_.options;
    std::int64_t copied = 0;
    for (std::int64_t y = 0; y < s_.out_h; ++y) {
      const std::int64_t top = y * o.stride[1] - o.padding[1];
      const std::int64_t bottom = std::min(top + o.kernel[1], s_.in_h);
      for (; copied < bottom; ++copied) copy_row(in_frame, copied);
      for (std::int64_t row = std::max<std::int64_t>(top, 0); row < bottom; ++row)
        add_row(out_frame * s_.out_h + y, row, kernel_d * o.kernel[1] + row - top);
    }
  }

  void copy_row(std::int64_t frame, std::int64_t row) {
    std::copy_n(x_ + (frame * s_.in_h + row) * s_.in_w * s_.in, s_.in_w * s_.in,
                rows_.data() + row * row_size_ + s_.options.padding[2] * s_.in);
  }

  void add_row(std::int64_t out_row, std::int64_t in_row, std::int64_t kernel_row) {
    kernel_.add({.input = rows_.data() + in_row * row_size_,
                 .grad = grad_ + out_row * s_.out_w * s_.out,
                 .weight_grad = sum_ + kernel_row * s_.out * s_.padded_window,
                 .width = s_.out_w,
                 .input_step = s_.options.stride[2] * s_.in,
                 .out = s_.out,
                 .padded_window = s_.padded_window});
  }

  const Sizes& s_;
  const WeightRowKernel& kernel_;
  const float* x_;
  const float* grad_;
  float* sum_;
  std::int64_t row_size_ = 0;
  std::vector<float> rows_;  // one input frame, each row between its zeros
};

}  // namespace

bool covers_weight_grad(const at::Tensor& x, const Conv3dOptions& o, const WeightRowKernel& kernel) {
  if (!kernel.add || x.dim() != 5 || !x.device().is_cpu() || x.scalar_type() != at::kFloat) return false;
  const std::int64_t out_w = (x.size(4) + 2 * o.padding[2] - o.kernel[2]) / o.stride[2] + 1;
  return o.groups == 1 && o.dilation == Extent<3>(1) && out_w >= kShortestRow && x.is_contiguous(kLast);
}

at::Tensor weight_grad(const at::Tensor& x, const at::Tensor& grad, const Conv3dOptions& o,
                       const WeightRowKernel& kernel) {
  const at::Tensor input = x.contiguous(kLast), output_grad = grad.contiguous(kLast);
  const Sizes s = sizes_of(input, output_grad, o, kernel.lanes);
  const std::int64_t frames = s.n * s.out_d;
  const std::int64_t shares =
      std::max<std::int64_t>(1, std::min<std::int64_t>(at::get_num_threads(), frames));
  const at::Tensor sums = at::zeros({shares, o.kernel[0], o.kernel[1], s.out, s.padded_window});
  const std::int64_t share_size = sums.numel() / shares;
  at::parallel_for(0, shares, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Share share(s, kernel, input.const_data_ptr<float>(), output_grad.const_data_ptr<float>(),
                  sums.mutable_data_ptr<float>() + i * share_size);
      for (std::int64_t frame = frames * i / shares; frame < frames * (i + 1) / shares; ++frame)
        share.add(frame);
    }
  });
  return sums.sum(0)
      .narrow(3, 0, s.window)
      .view_symint({o.kernel[0], o.kernel[1], s.out, o.kernel[2], s.in})
      .permute({2, 4, 0, 1, 3})
      .contiguous();
}

}  // namespace kinema::conv3d
