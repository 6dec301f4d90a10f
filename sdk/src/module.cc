#include "kinema/module.h"

#include <ATen/core/grad_mode.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <typeinfo>

#include "kinema/error.h"
#include "module_named.h"

namespace kinema {
namespace {

// "a::(anonymous namespace)::Net<b::C>" -> "Net<b::C>".
std::string without_scope(const std::string& name) {
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(') ++depth;
    if (name[i] == '>' || name[i] == ')') --depth;
    if (depth == 0 && name[i] == ':' && name[i + 1] == ':') start = i + 2;
  }
  return name.substr(start);
}

std::string join(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  return text.append(name).append("\"");
}

}  // namespace

Module::Module() = default;

Module::~Module() {
  for (const auto& slot : children_)
    if (slot->module->parent_ == this) slot->module->parent_ = nullptr;
}

// --- building ---

void Module::check_name(const std::string& name, const char* what) const {
  const std::string where = std::string(what) + " " + quoted(name);
  if (name.empty() || name.find('.') != std::string::npos)
    throw Error(ErrorKind::plugin, where, "wrong name: expected a name without a dot, got " + quoted(name),
                "dots separate the parts of a checkpoint key");
  const auto named = [&](const auto& entry) { return entry->name == name; };
  if (std::any_of(children_.begin(), children_.end(), named) ||
      std::any_of(parameters_.begin(), parameters_.end(), named) ||
      std::any_of(buffers_.begin(), buffers_.end(), named))
    throw Error(ErrorKind::plugin, where, "name is taken: expected a new name, got one registered before",
                "parameters, buffers and children of one module share their names");
}

at::Tensor& Module::parameter(std::string name, at::Tensor tensor) {
  check_name(name, "parameter");
  if (tensor.defined() && tensor.is_floating_point()) tensor.set_requires_grad(true);
  parameters_.push_back(std::make_unique<Named>(Named{std::move(name), std::move(tensor)}));
  return parameters_.back()->tensor;
}

at::Tensor& Module::buffer(std::string name, at::Tensor tensor) {
  check_name(name, "buffer");
  buffers_.push_back(std::make_unique<Named>(Named{std::move(name), std::move(tensor)}));
  return buffers_.back()->tensor;
}

at::Tensor& Module::table(std::string name, at::Tensor tensor) {
  at::Tensor& registered = buffer(std::move(name), std::move(tensor));
  buffers_.back()->computed = true;
  return registered;
}

std::shared_ptr<module_detail::Slot> Module::adopt(std::string name, std::shared_ptr<Module> module,
                                                   bool (*accepts)(Module&)) {
  check_name(name, "child");
  check_free(name, module.get(), ErrorKind::plugin);
  module->name_ = name;
  module->parent_ = this;
  children_.push_back(std::make_shared<module_detail::Slot>(
      module_detail::Slot{std::move(name), std::move(module), accepts}));
  return children_.back();
}

void Module::check_free(std::string_view place, const Module* module, ErrorKind kind) const {
  const std::string where = "child " + quoted(place);
  if (module == nullptr) throw Error(kind, where, "no module: expected a module, got null");
  if (module->parent_ != nullptr)
    throw Error(kind, where,
                "module is in use: expected one without a parent, got " + quoted(module->path()) +
                    " of another module",
                "make one module for each place");
  for (const Module* m = this; m != nullptr; m = m->parent_)
    if (m == module)
      throw Error(kind, where, "module contains itself: expected another module, got a parent");
}

std::pair<Module*, std::string_view> Module::place(std::string_view path) const {
  const std::size_t dot = path.rfind('.');
  Module* parent = dot == std::string_view::npos ? const_cast<Module*>(this) : find(path.substr(0, dot));
  const std::string_view last = dot == std::string_view::npos ? path : path.substr(dot + 1);
  if (parent == nullptr || parent->slot(last) == nullptr)
    throw Error(ErrorKind::usage, "module " + quoted(path),
                "no such module: expected a path such as " +
                    quoted(children_.empty() ? "" : children_.front()->name) + ", got " + quoted(path),
                "kinema model summary lists the paths");
  return {parent, last};
}

void Module::erase(std::string_view path) {
  const auto [parent, last] = place(path);
  const auto slot = std::find_if(parent->children_.begin(), parent->children_.end(),
                                 [last = last](const auto& child) { return child->name == last; });
  (*slot)->module->parent_ = nullptr;
  (*slot)->module->name_.clear();
  parent->children_.erase(slot);
}

void Module::replace(std::string_view path, std::shared_ptr<Module> module) {
  const auto [parent, last] = place(path);
  module_detail::Slot* slot = parent->slot(last);
  parent->check_free(path, module.get(), ErrorKind::usage);
  if (!slot->accepts(*module))
    throw Error(ErrorKind::usage, "module " + quoted(path),
                "wrong type of module: expected one that can stand for a " + slot->module->type_name() +
                    ", got a " + module->type_name());
  slot->module->parent_ = nullptr;
  slot->module->name_.clear();
  module->parent_ = parent;
  module->name_ = slot->name;
  slot->module = std::move(module);
}

// --- looking ---

module_detail::Slot* Module::slot(std::string_view name) const {
  for (const auto& slot : children_)
    if (slot->name == name) return slot.get();
  return nullptr;
}

void Module::collect(const std::string& prefix, bool parameters, bool buffers,
                     std::vector<NamedTensor>& out) const {
  const auto append = [&](const auto& list) {
    for (const auto& named : list)
      if (named->tensor.defined()) out.push_back({join(prefix, named->name), named->tensor});
  };
  if (parameters) append(parameters_);
  if (buffers) append(buffers_);
  for (const auto& slot : children_)
    slot->module->collect(join(prefix, slot->name), parameters, buffers, out);
}

std::vector<NamedTensor> Module::parameters() const {
  std::vector<NamedTensor> out;
  collect({}, true, false, out);
  return out;
}

std::vector<NamedTensor> Module::buffers() const {
  std::vector<NamedTensor> out;
  collect({}, false, true, out);
  return out;
}

std::vector<NamedTensor> Module::tables() const {
  std::vector<NamedTensor> out;
  for (const auto& named : buffers_)
    if (named->computed && named->tensor.defined()) out.push_back({named->name, named->tensor});
  for (const auto& slot : children_)
    for (const NamedTensor& inner : slot->module->tables())
      out.push_back({join(slot->name, inner.name), inner.tensor});
  return out;
}

std::vector<NamedTensor> Module::state() const {
  std::vector<NamedTensor> out;
  collect({}, true, true, out);
  return out;
}

std::vector<Module::NamedModule> Module::modules() const {
  std::vector<NamedModule> out = {{"", const_cast<Module*>(this)}};
  for (const auto& slot : children_)
    for (const NamedModule& inner : slot->module->modules())
      out.push_back({inner.path.empty() ? slot->name : join(slot->name, inner.path), inner.module});
  return out;
}

Module* Module::find(std::string_view path) const {
  const Module* at = this;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const module_detail::Slot* next = at->slot(path.substr(0, dot));
    if (next == nullptr) return nullptr;
    at = next->module.get();
    if (dot == std::string_view::npos) break;
    path.remove_prefix(dot + 1);
    if (path.empty()) return nullptr;  // "a."
  }
  return const_cast<Module*>(at);
}

std::string Module::path() const {
  if (parent_ == nullptr) return name_;
  return join(parent_->path(), name_);
}

std::string Module::type_name() const {
  int status = 0;
  char* text = abi::__cxa_demangle(typeid(*this).name(), nullptr, nullptr, &status);
  const std::string name = text == nullptr ? typeid(*this).name() : text;
  std::free(text);
  return without_scope(name);
}

// --- changing all of it ---

void Module::train(bool on) {
  training_ = on;
  for (const auto& slot : children_) slot->module->train(on);
}

template <class Convert>
void Module::convert(const Convert& convert_one) {
  const at::NoGradGuard no_grad;
  for (NamedTensor& named : state()) {
    at::Tensor& tensor = named.tensor;  // shares the module's TensorImpl: set_data reaches the module
    tensor.set_data(convert_one(tensor));
    if (tensor.grad().defined()) tensor.mutable_grad() = convert_one(tensor.grad());
  }
}

void Module::to(at::Device device) {
  convert([&](const at::Tensor& t) { return t.to(t.options().device(device)); });
}

void Module::to(at::ScalarType dtype) {
  convert([&](const at::Tensor& t) { return t.is_floating_point() ? t.to(dtype) : t; });
}

void Module::to(at::MemoryFormat format) {
  const std::int64_t rank = format == at::MemoryFormat::ChannelsLast3d ? 5
                            : format == at::MemoryFormat::ChannelsLast ? 4
                                                                       : -1;
  convert([&](const at::Tensor& t) { return rank < 0 || t.dim() == rank ? t.contiguous(format) : t; });
}

}  // namespace kinema
