#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kinema/options.h"

namespace kinema {

// A named set of option values of a component: `preset = "slowfast_4x16_r50"`. Keys of the file override it.
struct Preset {
  std::string name;
  std::string help;
  Value options;
  // Weights that others publish for it, none when empty: the file's name, and where its project says more.
  std::string weights = {};
  std::string weights_from = {};
};

// What the registry knows about one component.
struct ComponentInfo {
  std::string kind;     // "model", "dataset", "loss", ...
  std::string type;     // the name that `type = ` takes
  std::string help;     // one sentence
  std::string library;  // path of the file it came from; "built in"
  OptionTable options;
  std::vector<Preset> presets;
};

// Read access to the registered components, for checking options that name a component.
class KINEMA_API Catalog {
 public:
  virtual ~Catalog();
  // Null when nothing of that kind has the name. Pointers stay valid for the life of the catalog.
  virtual const ComponentInfo* find(std::string_view kind, std::string_view type) const = 0;
  virtual std::vector<const ComponentInfo*> all(std::string_view kind) const = 0;
};

// A component's table (`type`, perhaps `preset`, its keys) checked against the catalog, with everything in
// place: the preset merged below the keys and gone, renamed keys under their new names, components inside it
// treated alike. Appends every problem; the result is usable when none was added. `path` is for the messages.
KINEMA_API Value check_component(const Value& table, std::string_view kind, const Catalog& catalog,
                                 const std::string& path, std::vector<Problem>& problems);

}  // namespace kinema
