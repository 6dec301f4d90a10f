#pragma once

#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "kinema/plugin.h"
#include "tests/support/components_under_test.h"

namespace kinema::test {

// The components of build/plugins/<name>.so, registered as the host would after the build stamp was compared.
// The library stays loaded, as in the host.
inline std::unique_ptr<ComponentsUnderTest> plugin_under_test(const std::string& name) {
  const std::string path = std::string(KINEMA_BUILD_DIR) + "/plugins/" + name + ".so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  void* entry = dlsym(library, "kinema_plugin_v1");
  if (!entry) throw std::runtime_error(dlerror());
  const KinemaPluginDescriptor* descriptor = reinterpret_cast<const KinemaPluginDescriptor* (*)()>(entry)();
  return std::make_unique<ComponentsUnderTest>(descriptor->register_components);
}

}  // namespace kinema::test
