#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "kinema/model.h"

// TimeSformer (Bertasius et al. 2021) written down a second time, the slow way.
namespace kinema::test {

// One clip, a token at a time: no batches, no heads in one product, no reshaping. Of a model with 2 blocks of
// 2 heads and patches of 4x4.
class TokenByToken {
 public:
  explicit TokenByToken(Model& model) {
    for (const NamedTensor& named : model.parameters()) weights_[named.name.substr(6)] = named.tensor;
  }

  // Clip [3, T, H, W].
  at::Tensor logits(const at::Tensor& clip, const std::string& attention) const {
    const std::int64_t frames = clip.size(1), side = clip.size(2) / kPatch;
    Grid x(frames);
    const at::Tensor& places = get("pos_embed");
    const at::Tensor start = get("cls_token")[0][0] + places[0][0];
    for (std::int64_t t = 0; t < frames; ++t)
      for (std::int64_t p = 0; p < side * side; ++p) {
        const at::Tensor patch = clip.select(1, t)
                                     .narrow(1, p / side * kPatch, kPatch)
                                     .narrow(2, p % side * kPatch, kPatch)
                                     .flatten();
        at::Tensor token = linear("patch_embed.proj", patch) + places[0][p + 1];
        if (attention != "space") token = token + get("time_embed")[0][t];
        x[t].push_back(token);
      }
    if (attention == "space") {
      at::Tensor sum;
      for (std::int64_t t = 0; t < frames; ++t) {
        Grid frame = {x[t]};
        at::Tensor of_class = start;
        for (int b = 0; b < kBlocks; ++b) joint(b, of_class, frame);
        sum = t == 0 ? of_class : sum + of_class;
      }
      return linear("head", norm("norm", sum / frames));
    }
    at::Tensor of_class = start;
    for (int b = 0; b < kBlocks; ++b) attention == "joint" ? joint(b, of_class, x) : divided(b, of_class, x);
    return linear("head", norm("norm", of_class));
  }

 private:
  using Row = std::vector<at::Tensor>;
  using Grid = std::vector<Row>;  // [frame][place]
  static constexpr int kPatch = 4, kBlocks = 2, kHeads = 2;

  const at::Tensor& get(const std::string& name) const { return weights_.at(name); }
  at::Tensor linear(const std::string& name, const at::Tensor& x) const {
    return get(name + ".weight").flatten(1).mv(x) + get(name + ".bias");
  }
  at::Tensor norm(const std::string& name, const at::Tensor& x) const {
    const at::Tensor centred = x - x.mean();
    return centred / (centred.square().mean() + 1e-6).sqrt() * get(name + ".weight") + get(name + ".bias");
  }
  // What token `i` of a row gathers from all of it.
  at::Tensor gathered(const std::string& name, const Row& row, std::size_t i) const {
    const std::int64_t width = row[i].size(0), part = width / kHeads;
    std::vector<at::Tensor> heads;
    for (int h = 0; h < kHeads; ++h) {
      const auto of = [&](const at::Tensor& token, int which) {
        return linear(name + ".qkv", token).narrow(0, which * width + h * part, part);
      };
      double total = 0;
      at::Tensor sum;
      for (const at::Tensor& other : row) {
        const double weight = std::exp(of(row[i], 0).dot(of(other, 1)).item<double>() / std::sqrt(part));
        total += weight;
        sum = sum.defined() ? sum + of(other, 2) * weight : of(other, 2) * weight;
      }
      heads.push_back(sum / total);
    }
    return linear(name + ".proj", at::cat(heads));
  }
  Row normed(const std::string& name, const Row& row) const {
    Row out;
    for (const at::Tensor& token : row) out.push_back(norm(name, token));
    return out;
  }
  at::Tensor with_mlp(const std::string& block, const at::Tensor& x) const {
    const at::Tensor inner = linear(block + "mlp.fc1", norm(block + "norm2", x));
    return x + linear(block + "mlp.fc2", inner * 0.5 * (1 + (inner / std::sqrt(2.0)).erf()));
  }
  void joint(int b, at::Tensor& first, Grid& x) const {
    const std::string block = "blocks." + std::to_string(b) + ".";
    Row all = {first};
    for (const Row& frame : x) all.insert(all.end(), frame.begin(), frame.end());
    const Row seen = normed(block + "norm1", all);
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = with_mlp(block, all[i] + gathered(block + "attn", seen, i));
    first = all[0];
    std::size_t next = 1;
    for (Row& frame : x)
      for (at::Tensor& token : frame) token = all[next++];
  }
  void divided(int b, at::Tensor& first, Grid& x) const {
    const std::string block = "blocks." + std::to_string(b) + ".";
    for (std::size_t p = 0; p < x[0].size(); ++p) {
      Row in_time;
      for (const Row& frame : x) in_time.push_back(frame[p]);
      const Row seen = normed(block + "temporal_norm1", in_time);
      for (std::size_t t = 0; t < x.size(); ++t)
        x[t][p] = in_time[t] + linear(block + "temporal_fc", gathered(block + "temporal_attn", seen, t));
    }
    at::Tensor of_first;
    for (Row& frame : x) {
      Row all = {first};
      all.insert(all.end(), frame.begin(), frame.end());
      const Row seen = normed(block + "norm1", all);
      const at::Tensor share = gathered(block + "attn", seen, 0) / static_cast<double>(x.size());
      of_first = of_first.defined() ? of_first + share : share;
      for (std::size_t p = 0; p < frame.size(); ++p)
        frame[p] = with_mlp(block, frame[p] + gathered(block + "attn", seen, p + 1));
    }
    first = with_mlp(block, first + of_first);
  }

  std::map<std::string, at::Tensor> weights_;
};

}  // namespace kinema::test
