#pragma once

#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "kinema/plugin.h"
#include "tests/support/components_under_test.h"

namespace kinema::test {

// The registration function of build/plugins/<name>.so. The library stays loaded, as in the host.
inline void (*registration_of(const std::string& name))(Registrar&) {
  const std::string path = std::string(KINEMA_BUILD_DIR) + "/plugins/" + name + ".so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  void* entry = dlsym(library, "kinema_plugin_v1");
  if (!entry) throw std::runtime_error(dlerror());
  return reinterpret_cast<const KinemaPluginDescriptor* (*)()>(entry)()->register_components;
}

// The components of a library, registered as the host would after the build stamp was compared.
inline std::unique_ptr<ComponentsUnderTest> plugin_under_test(const std::string& name) {
  return std::make_unique<ComponentsUnderTest>(registration_of(name));
}

}  // namespace kinema::test
