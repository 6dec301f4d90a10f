#include "framework/weights/fit.h"

#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/ScalarType.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "framework/weights/mismatch.h"
#include "framework/weights/read_names.h"

namespace kinema::weights {
namespace {

constexpr std::string_view kCounter = "num_batches_tracked";

// The sides that are not 1.
std::vector<std::int64_t> long_sides(at::IntArrayRef sizes) {
  std::vector<std::int64_t> sides;
  std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(sides), [](std::int64_t s) { return s != 1; });
  return sides;
}

class Fitting {
 public:
  Fitting(const Model& model, ReadNames read, const FitOptions& options)
      : options_(options), constants_(std::move(read.constants)) {
    for (NamedTensor& named : read.tensors) given_.emplace(std::move(named.name), std::move(named.tensor));
    if (const auto* backbone = dynamic_cast<const HasFeatures*>(&model)) head_ = backbone->head();
    for (const NamedTensor& table : model.tables()) tables_.insert(table.name);
    if (!read.map.empty()) notes_.push_back("names as in " + read.map);
  }

  Fit fit(const Model& model, const std::string& where) {
    Fit out;
    for (const NamedTensor& own : model.state())
      out.state.push_back({own.name, tables_.contains(own.name) ? own.tensor : value_for(own)});
    for (auto& [name, tensor] : given_)
      if (!tables_.contains(name)) mismatch_.unexpected.push_back({name, tensor});
    const bool nothing_fits =
        mismatch_.missing.size() + mismatch_.misshapen.size() + tables_.size() + counters_ ==
        out.state.size();
    if ((options_.strict || nothing_fits) && !mismatch_.empty())
      throw Error(ErrorKind::data, problems_of(mismatch_, where));
    out.notes = notes();
    return out;
  }

 private:
  at::Tensor value_for(const NamedTensor& own) {
    const auto found = given_.find(own.name);
    if (found == given_.end()) return default_for(own);
    const at::Tensor given = found->second;
    given_.erase(found);
    if (given.scalar_type() != own.tensor.scalar_type())
      ++converted_[{c10::toString(given.scalar_type()), c10::toString(own.tensor.scalar_type())}];
    if (given.sizes() == own.tensor.sizes()) return given;
    if (inflates(given.sizes(), own.tensor.sizes())) {
      ++inflated_;
      return inflate(given, own.tensor.size(2), options_.inflation);
    }
    if (long_sides(given.sizes()) == long_sides(own.tensor.sizes())) {
      ++reshaped_;
      return given.reshape(own.tensor.sizes());
    }
    if (is_other_head(own, given)) {
      classes_ = {given.size(0), own.tensor.size(0)};
    } else {
      mismatch_.misshapen.push_back({own.name, own.tensor.sizes().vec(), given.sizes().vec()});
    }
    return own.tensor;
  }

  at::Tensor default_for(const NamedTensor& own) {
    if (own.name.ends_with(kCounter)) {
      ++counters_;
      return at::zeros_like(own.tensor);
    }
    for (const auto& [pattern, value] : constants_)
      if (std::regex_search(own.name, std::regex(pattern))) return at::full_like(own.tensor, value);
    mismatch_.missing.push_back(own);
    return own.tensor;
  }

  // A tensor of the classifier that differs in the number of classes alone.
  bool is_other_head(const NamedTensor& own, const at::Tensor& given) const {
    return !head_.empty() && own.name.starts_with(head_ + ".") && given.dim() > 0 && own.tensor.dim() > 0 &&
           long_sides(given.sizes().slice(1)) == long_sides(own.tensor.sizes().slice(1));
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> all = notes_;
    for (const auto& [types, count] : converted_)
      all.push_back(fmt::format("{} tensors converted from {} to {}", count, types.first, types.second));
    if (inflated_ > 0)
      all.push_back(fmt::format("{} kernels of images inflated over time ({})", inflated_,
                                options_.inflation == Inflation::mean ? "mean" : "centre"));
    if (reshaped_ > 0) all.push_back(fmt::format("{} tensors reshaped, values as they were", reshaped_));
    if (classes_)
      all.push_back(fmt::format("{} replaced: the file has {} classes, the model {}", head_, classes_->first,
                                classes_->second));
    for (std::string& note : notes_of(mismatch_)) all.push_back(std::move(note));
    return all;
  }

  FitOptions options_;
  std::vector<std::pair<std::string, double>> constants_;
  std::map<std::string, at::Tensor> given_;  // what is left of the file
  std::string head_;
  std::set<std::string> tables_;
  Mismatch mismatch_;
  std::map<std::pair<std::string, std::string>, int> converted_;  // by number types
  int inflated_ = 0, reshaped_ = 0;
  std::size_t counters_ = 0;                                      // that the file has not
  std::optional<std::pair<std::int64_t, std::int64_t>> classes_;  // of a replaced head: file, model
  std::vector<std::string> notes_;
};

}  // namespace

Fit fit(const Model& model, checkpoint::Weights weights, const FitOptions& options) {
  const std::string where = weights.source;
  return Fitting(model, read_names(model, std::move(weights.tensors), where), options).fit(model, where);
}

std::vector<std::string> load(Model& model, checkpoint::Weights weights, const FitOptions& options) {
  Fit fitted = fit(model, std::move(weights), options);
  model.load_state(fitted.state);
  return std::move(fitted.notes);
}

}  // namespace kinema::weights
