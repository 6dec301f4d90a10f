#include "framework/checkpoint/state_dict.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/checkpoint/printable.h"
#include "framework/checkpoint/python_tensor.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

using Kind = PickleKind;

// Where projects keep their weights, in the order of looking.
constexpr const char* kContainers[] = {"model_state", "state_dict", "model_state_dict", "model"};
constexpr const char* kPrefixes[] = {"module.", "model."};
constexpr int kDeepest = 4;

bool holds_tensors(const PickleValue& dict) {
  for (std::size_t i = 1; i < dict.items.size(); i += 2)
    if (is_tensor(*dict.items[i])) return true;
  return false;
}

// "a dict with 'epoch' (an integer), 'arch' (a string)".
std::string list_keys(const PickleValue& dict) {
  constexpr std::size_t kMost = 8;
  std::string out = describe(dict);
  for (std::size_t i = 0; i < dict.items.size() && i < 2 * kMost; i += 2) {
    const PickleValue& key = *dict.items[i];
    out += fmt::format("{}{} ({})", i == 0 ? ": " : ", ",
                       key.kind == Kind::text ? printable(key.text) : describe(key),
                       describe(*dict.items[i + 1]));
  }
  return out + (dict.items.size() > 2 * kMost ? ", ..." : "");
}

[[noreturn]] void refuse(const PickleValue& value, const std::string& container, const std::string& where) {
  const std::string place = container.empty() ? "the file" : printable(container);
  const bool object = value.kind == Kind::object;
  throw Error(ErrorKind::data, where,
              fmt::format("no weights: expected a dict of tensors, bare or under model_state, state_dict, "
                          "model_state_dict or model; {} holds {}",
                          place, value.kind == Kind::dict ? list_keys(value) : describe(value)),
              object ? "in Python: torch.save(model.state_dict(), path)" : "");
}

}  // namespace

StateDict find_state_dict(const PickleValue& saved, const std::string& where) {
  StateDict out{&saved, {}};
  for (int depth = 0; depth < kDeepest && out.value->kind == Kind::dict; ++depth) {
    const PickleValue* inner = nullptr;
    for (const char* key : kContainers) {
      const PickleValue* found = member(*out.value, key);
      // A tensor of such a name is a weight like others.
      if (found == nullptr || is_tensor(*found) || (found->kind != Kind::dict && found->kind != Kind::object))
        continue;
      inner = found;
      if (!out.container.empty()) out.container += '/';
      out.container += key;
      break;
    }
    if (inner == nullptr) {
      if (holds_tensors(*out.value)) return out;
      break;
    }
    out.value = inner;
  }
  refuse(*out.value, out.container, where);
}

std::string cut_prefixes(std::vector<NamedTensor>& tensors) {
  std::string cut;
  for (const std::string prefix : kPrefixes) {
    const bool all = std::all_of(tensors.begin(), tensors.end(), [&](const NamedTensor& named) {
      return named.name.starts_with(prefix) && named.name.size() > prefix.size();
    });
    if (!all) continue;
    for (NamedTensor& named : tensors) named.name.erase(0, prefix.size());
    cut += prefix;
  }
  return cut;
}

}  // namespace kinema::checkpoint
