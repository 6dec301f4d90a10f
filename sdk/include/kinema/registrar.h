#pragma once

#include <functional>
#include <memory>
#include <string>
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
    Registration registration;
    registration.info.kind = std::string(Kind::kKind);
    registration.info.type = std::move(type);
    registration.info.help = std::move(help);
    registration.info.options = options.table();
    registration.make = [table = options.table(), make = std::move(make)](const Value& value,
                                                                          Context& context) {
      O parsed{};
      std::vector<Problem> problems;
      table.parse(value, &parsed, nullptr, {}, problems);
      if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
      std::shared_ptr<Kind> component = make(std::as_const(parsed), context);
      return std::shared_ptr<void>(std::move(component));
    };
    return add_any(std::move(registration));
  }

 protected:
  virtual Registration& add_any(Registration registration) = 0;
};

// The options of a component that has none.
struct NoOptions {};

}  // namespace kinema
