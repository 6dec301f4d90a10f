#include "torch_draw.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

namespace kinema::torch_draw {
namespace {

using Engine = at::mt19937;
using State = at::mt19937_data_pod;

constexpr std::int64_t kBlock = at::MERSENNE_STATE_N;  // numbers of one twist; whole groups of normal_'s 16
constexpr std::int64_t kSmallest = 64 * kBlock;        // below it starting threads costs more than it saves

// One step of the Mersenne twister: Matsumoto and Nishimura 1998.
void twist(State& s) {
  constexpr std::int64_t n = at::MERSENNE_STATE_N, m = at::MERSENNE_STATE_M;
  auto& x = s.state_;
  const auto next = [&x](std::int64_t i, std::int64_t after, std::int64_t far) {
    const std::uint32_t y = (x[i] & 0x80000000U) | (x[after] & 0x7fffffffU);
    x[i] = x[far] ^ (y >> 1) ^ ((0U - (x[after] & 1U)) & 0x9908b0dfU);
  };
  for (std::int64_t i = 0; i < n - m; ++i) next(i, i + 1, i + m);
  for (std::int64_t i = n - m; i < n - 1; ++i) next(i, i + 1, i + m - n);
  next(n - 1, 0, m - 1);
}

// The 24 bits of a number that a float holds exactly, tempered as in the paper, to [from, from + width).
inline __attribute__((always_inline)) void scale(const std::uint32_t* numbers, std::int64_t count, float from,
                                                 float width, float* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t y = numbers[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    y ^= y >> 18;
    out[i] = static_cast<float>(static_cast<std::int32_t>(y & 0xffffffU)) * 0x1p-24F * width + from;
  }
}

// Torch's kernels round once where the processor can, so these do.
[[gnu::target("avx2,fma")]] void scale_fused(const std::uint32_t* numbers, std::int64_t count, float from,
                                             float width, float* out) {
  scale(numbers, count, from, width, out);
}
void scale_plain(const std::uint32_t* numbers, std::int64_t count, float from, float width, float* out) {
  scale(numbers, count, from, width, out);
}

void fill_uniform(State& s, float from, float width, float* out, std::int64_t count) {
  static const auto scale_best =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? scale_fused : scale_plain;
  while (count > 0) {
    if (s.left_ == 1) {
      twist(s);
      s.next_ = 0;
      s.left_ = static_cast<int>(kBlock) + 1;
    }
    const std::int64_t now = std::min<std::int64_t>(count, s.left_ - 1);
    scale_best(s.state_.data() + s.next_, now, from, width, out);
    s.next_ += static_cast<std::uint32_t>(now);
    s.left_ -= static_cast<int>(now);
    out += now;
    count -= now;
  }
}

at::Generator generator(const State& state) {
  Engine engine;
  engine.set_data(state);
  at::Generator made = at::detail::createCPUGenerator();
  made.get<at::CPUGeneratorImpl>()->set_engine(engine);
  return made;
}

struct Part {
  at::Tensor values;
  at::Generator generator;
};

// A float takes one number, so a part that begins after k blocks begins k twists later.
std::vector<Part> parts(const at::Tensor& values, State state) {
  const std::int64_t blocks = values.numel() / kBlock;
  const std::int64_t each = (blocks + at::get_num_threads() - 1) / at::get_num_threads();
  std::vector<Part> all;
  for (std::int64_t first = 0; first < blocks; first += each) {
    const bool last = first + each >= blocks;
    const std::int64_t begin = first * kBlock, end = last ? values.numel() : begin + each * kBlock;
    all.push_back({values.slice(0, begin, end), generator(state)});
    for (std::int64_t i = 0; !last && i < each; ++i) twist(state);
  }
  return all;
}

template <class Fill>
void draw(at::Tensor& tensor, const Fill& fill) {
  const at::NoGradGuard no_grad;
  if (tensor.scalar_type() != at::kFloat || !tensor.device().is_cpu() || !tensor.is_contiguous() ||
      tensor.numel() < kSmallest)
    return fill(tensor, std::nullopt);
  auto* shared = at::detail::getDefaultCPUGenerator().get<at::CPUGeneratorImpl>();
  const std::lock_guard lock(shared->mutex_);
  std::vector<Part> all = parts(tensor.detach().view(-1), shared->engine().data());
  at::parallel_for(0, static_cast<std::int64_t>(all.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    const at::NoGradGuard no_grad_here;
    for (std::int64_t i = begin; i < end; ++i) fill(all[i].values, all[i].generator);
  });
  shared->set_engine(all.back().generator.get<at::CPUGeneratorImpl>()->engine());
}

// A part has its own generator; what is not cut into parts is left to torch.
const at::Tensor& uniform_piece(const at::Tensor& piece, double from, double to,
                                const std::optional<at::Generator>& own) {
  if (!own) return piece.uniform_(from, to);
  auto* generator = own->get<at::CPUGeneratorImpl>();
  Engine engine = generator->engine();
  State state = engine.data();
  const auto first = static_cast<float>(from);
  fill_uniform(state, first, static_cast<float>(to) - first, piece.data_ptr<float>(), piece.numel());
  engine.set_data(state);
  generator->set_engine(engine);
  return piece;
}

}  // namespace

void uniform(at::Tensor& tensor, double from, double to) {
  draw(tensor, [=](at::Tensor& part, std::optional<at::Generator> g) { uniform_piece(part, from, to, g); });
}

void normal(at::Tensor& tensor, double mean, double std) {
  draw(tensor, [=](at::Tensor& part, std::optional<at::Generator> g) { part.normal_(mean, std, g); });
}

// By the inverse of the distribution function: the same draws whatever is cut off. A piece at a time, while
// it is in the cache.
void truncated_normal(at::Tensor& tensor, double std, double cut) {
  constexpr std::int64_t kPiece = 16384;
  const double within = std::erf(cut / std / std::sqrt(2.0));
  draw(tensor, [=](at::Tensor& part, std::optional<at::Generator> g) {
    for (const at::Tensor& piece : part.is_contiguous() ? part.view(-1).split(kPiece) : std::vector{part})
      uniform_piece(piece, -within, within, g).erfinv_().mul_(std * std::sqrt(2.0)).clamp_(-cut, cut);
  });
}

}  // namespace kinema::torch_draw
