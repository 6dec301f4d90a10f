#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinema/error.h"
#include "kinema/export.h"

namespace kinema {

class Module;

struct NamedTensor {
  std::string name;  // dotted path, the checkpoint key: "layer1.0.conv1.0.weight"
  at::Tensor tensor;
};

namespace module_detail {
// One child's place in its parent: what the parent's forward() calls is whatever stands here now.
struct Slot {
  std::string name;
  std::shared_ptr<Module> module;
  bool (*accepts)(Module&) = nullptr;
};
}  // namespace module_detail

// A handle to a child. forward() calls through it, so a replaced child is the one that runs.
template <class T>
class Child {
 public:
  Child() = default;
  explicit Child(std::shared_ptr<module_detail::Slot> slot) : slot_(std::move(slot)) {}
  T& operator*() const { return static_cast<T&>(*slot_->module); }
  T* operator->() const { return &**this; }
  explicit operator bool() const { return slot_ != nullptr; }
  template <class... A>
  decltype(auto) operator()(A&&... arguments) const {
    return (**this)(std::forward<A>(arguments)...);
  }

 private:
  std::shared_ptr<module_detail::Slot> slot_;
};

// A part of a network: named parameters, buffers and children. Names and order follow torch.nn.Module, and
// dotted parameter names are the checkpoint keys. Built, moved and trained by one thread at a time; forward()
// of a module in eval mode may run on several threads.
//
//   struct Net : Model {
//     Child<Conv3d> conv = child<Conv3d>("conv", Conv3dOptions{.in = 3, .out = 8, .kernel = 3});
class KINEMA_API Module {
 public:
  Module();
  virtual ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // In torch's order: own first, then each child's, depth first. The tensors share storage with the module.
  std::vector<NamedTensor> parameters() const;
  std::vector<NamedTensor> buffers() const;
  // Parameters and buffers interleaved as torch's state_dict().
  std::vector<NamedTensor> state() const;
  // The buffers that modules computed themselves, see table().
  std::vector<NamedTensor> tables() const;
  // Copies values by name, converting dtype and device. Throws Error(data) that lists every missing,
  // unexpected and misshapen tensor; nothing is copied then. With `strict` false, missing and unexpected
  // names are skipped. Tables keep their values, given or not.
  void load_state(const std::vector<NamedTensor>& state, bool strict = true);

  struct NamedModule {
    std::string path;  // "" is this module itself
    Module* module;
  };
  std::vector<NamedModule> modules() const;
  // Null when there is no such path.
  Module* find(std::string_view path) const;
  // Puts another module in a child's place; the parent's forward() uses it from now on. Throws Error(usage)
  // when there is no such path or the handle's type does not admit it.
  void replace(std::string_view path, std::shared_ptr<Module> module);
  // Takes a child out: its tensors are no longer among this module's, and its parent's forward() must not
  // call it any more. Throws Error(usage) when there is no such path.
  void erase(std::string_view path);

  void train(bool on = true);  // this and all children
  bool training() const noexcept { return training_; }
  void to(at::Device device);
  void to(at::ScalarType dtype);  // floating point parameters and buffers; integers stay
  // Memory layout of parameters and buffers of the rank that the format is for; values and shapes stay.
  void to(at::MemoryFormat format);

  const std::string& name() const noexcept { return name_; }  // in the parent
  std::string path() const;                                   // from the root
  // "Conv3d": for summaries. The demangled class name unless overridden.
  virtual std::string type_name() const;

 protected:
  // Registers a tensor; the returned name is the key to get it back. `tensor` may be undefined (no bias).
  at::Tensor& parameter(std::string name, at::Tensor tensor);
  at::Tensor& buffer(std::string name, at::Tensor tensor);
  // A buffer that follows from the module's options alone, such as the index of relative positions: part of
  // the state, as other programs write it, but never loaded.
  at::Tensor& table(std::string name, at::Tensor tensor);
  template <class T, class... A>
  Child<T> child(std::string name, A&&... arguments) {
    return child_of<T>(std::move(name), std::make_shared<T>(std::forward<A>(arguments)...));
  }
  template <class T>
  Child<T> child_of(std::string name, std::shared_ptr<T> module) {
    return Child<T>(
        adopt(std::move(name), std::move(module), [](Module& m) { return dynamic_cast<T*>(&m) != nullptr; }));
  }

 private:
  struct Named;
  std::shared_ptr<module_detail::Slot> adopt(std::string name, std::shared_ptr<Module> module,
                                             bool (*accepts)(Module&));
  void collect(const std::string& prefix, bool parameters, bool buffers, std::vector<NamedTensor>& out) const;
  void check_name(const std::string& name, const char* what) const;
  void check_free(std::string_view place, const Module* module, ErrorKind kind) const;
  module_detail::Slot* slot(std::string_view name) const;
  // The parent of a path's last part and that part; throws Error(usage) when there is no such child.
  std::pair<Module*, std::string_view> place(std::string_view path) const;
  template <class Convert>
  void convert(const Convert& convert_one);

  std::string name_;
  Module* parent_ = nullptr;
  bool training_ = true;
  std::vector<std::unique_ptr<Named>> parameters_;
  std::vector<std::unique_ptr<Named>> buffers_;
  std::vector<std::shared_ptr<module_detail::Slot>> children_;
};

// A module that maps one tensor to one tensor. Calling it runs forward() and tells the run context's tap.
class KINEMA_API Layer : public Module {
 public:
  at::Tensor operator()(const at::Tensor& x);

 protected:
  virtual at::Tensor forward(const at::Tensor& x) = 0;
};

}  // namespace kinema
