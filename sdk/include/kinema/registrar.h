#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinema/catalog.h"
#include "kinema/context.h"
#include "kinema/options.h"

namespace kinema {

// One component as a plugin offers it.
struct Registration {
  ComponentInfo info;
  // Parses options that have been checked and builds the component.
  std::function<std::shared_ptr<void>(const Value& options, Context& context)> make;

  Registration& preset(std::string name, std::string help, Value options) {
    info.presets.push_back({std::move(name), std::move(help), std::move(options)});
    return *this;
  }
  // The published weights of the last preset: "slowfast_r50.pyth", "pytorchvideo, docs/source/model_zoo.md".
  Registration& weights(std::string file, std::string from) {
    info.presets.back().weights = std::move(file);
    info.presets.back().weights_from = std::move(from);
    return *this;
  }
};

// Collects what a library registers. Nothing is visible to anybody until the registration function has
// returned, all defaults have passed their own checks and no name is taken.
class KINEMA_API Registrar {
 public:
  virtual ~Registrar();

  // Offers component `type` of a kind. `make(const O&, Context&)` returns std::shared_ptr to Kind or to a
  // class derived from it.
  template <class Kind, class O, class Make>
  Registration& add(std::string type, std::string help, const Options<O>& options, Make make) {
    return offer(Kind::kKind, std::move(type), std::move(help), options.table(),
                 [make = std::move(make)](const void* parsed, Context& context) {
                   std::shared_ptr<Kind> component = make(*static_cast<const O*>(parsed), context);
                   return std::shared_ptr<void>(std::move(component));
                 });
  }

 protected:
  virtual Registration& add_any(Registration registration) = 0;

 private:
  // `build` takes the options as the struct that `table` declares.
  Registration& offer(std::string_view kind, std::string type, std::string help, const OptionTable& table,
                      std::function<std::shared_ptr<void>(const void* parsed, Context& context)> build);
};

// The options of a component that has none.
struct NoOptions {};

}  // namespace kinema
