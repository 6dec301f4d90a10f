#pragma once

#include <map>
#include <memory>
#include <string>

#include "kinema/catalog.h"
#include "kinema/registrar.h"

namespace kinema::config {

// A few components with the shapes of options that real ones have; nothing behind them.
class FakeCatalog : public Catalog {
 public:
  FakeCatalog();
  const ComponentInfo* find(std::string_view kind, std::string_view type) const override;
  std::vector<const ComponentInfo*> all(std::string_view kind) const override;

 private:
  void add(std::string kind, std::string type, const OptionTable& options, std::vector<Preset> presets = {});
  std::vector<std::unique_ptr<ComponentInfo>> infos_;
};

}  // namespace kinema::config
