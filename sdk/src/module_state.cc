#include <ATen/core/grad_mode.h>

#include <map>
#include <set>
#include <sstream>

#include "kinema/error.h"
#include "kinema/module.h"

namespace kinema {
namespace {

std::string shape(const at::Tensor& tensor) {
  if (!tensor.defined()) return "an undefined tensor";
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

constexpr const char* kNameHint = "weights of other programs need the model's key map of that name";

}  // namespace

void Module::load_state(const std::vector<NamedTensor>& given, bool strict) {
  std::vector<Problem> problems;
  const auto problem = [&](const std::string& name, std::string what, const char* hint = "") {
    problems.push_back({"tensor \"" + name + "\"", std::move(what), hint, {}});
  };
  std::map<std::string, at::Tensor> by_name;
  for (const NamedTensor& named : given)
    if (!by_name.emplace(named.name, named.tensor).second)
      problem(named.name, "tensor given twice: expected each name once, got another one");

  std::set<std::string> computed;
  for (const NamedTensor& table : tables()) computed.insert(table.name);
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;  // to, from
  for (const NamedTensor& own : state()) {
    const auto found = by_name.find(own.name);
    if (computed.contains(own.name)) {
      if (found != by_name.end()) by_name.erase(found);
      continue;
    }
    if (found == by_name.end()) {
      if (strict)
        problem(own.name, "missing tensor: expected " + shape(own.tensor) + ", got none", kNameHint);
      continue;
    }
    if (!found->second.defined() || found->second.sizes() != own.tensor.sizes())
      problem(own.name, "wrong shape: expected " + shape(own.tensor) + ", got " + shape(found->second));
    copies.emplace_back(own.tensor, found->second);
    by_name.erase(found);
  }
  if (strict)
    for (const auto& [name, tensor] : by_name)
      problem(name, "unexpected tensor: expected no such name, got " + shape(tensor), kNameHint);
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));

  const at::NoGradGuard no_grad;
  for (auto& [to, from] : copies) to.copy_(from);
}

}  // namespace kinema
