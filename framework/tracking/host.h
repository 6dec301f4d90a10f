#pragma once

#include <string>
#include <vector>

namespace kinema::tracking {

// The machine, as far as results may depend on it. Unknown texts are empty.
struct HostFacts {
  std::string name;
  std::string os;                         // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;                     // "Linux 6.1.0"
  std::string cpu;                        // "Intel(R) Xeon(R) ..."
  std::vector<std::string> cpu_features;  // those that choose kernels: avx2, fma, avx512f, amx_bf16, ...
  int cores = 0;                          // that this process may use
  long memory_mb = 0;
};

HostFacts host_facts();

}  // namespace kinema::tracking
