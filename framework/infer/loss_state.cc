#include "framework/infer/loss_state.h"

#include <filesystem>
#include <set>
#include <string_view>

#include "framework/checkpoint/checkpoint.h"
#include "framework/checkpoint/safetensors.h"

namespace kinema::infer {

StateTensors split_state(const std::vector<NamedTensor>& state, const Loss& loss) {
  std::set<std::string> own;
  for (const NamedTensor& named : loss.state()) own.insert(kLossPrefix + named.name);
  StateTensors split;
  for (const NamedTensor& named : state) {
    if (own.contains(named.name))
      split.loss.push_back({named.name.substr(std::string_view(kLossPrefix).size()), named.tensor});
    else
      split.optimizer.push_back(named);
  }
  return split;
}

bool load_loss_state(const std::string& model_file, Loss& loss) {
  if (loss.state().empty()) return true;
  const auto beside = std::filesystem::path(model_file).parent_path() / checkpoint::kStateFile;
  if (!std::filesystem::exists(beside)) return false;
  loss.load_state(
      split_state(checkpoint::read_safetensors(checkpoint::real_file_system(), beside).tensors, loss).loss);
  return true;
}

}  // namespace kinema::infer
