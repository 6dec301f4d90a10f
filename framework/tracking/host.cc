#include "framework/tracking/host.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string_view>

namespace kinema::tracking {
namespace {

// The value of the first "key<spaces>: value" or "key=value" line.
std::string field(const char* path, std::string_view key, char separator) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const auto at = line.find(separator);
    if (at == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t\"", at + 1);
    const auto end = line.find_last_not_of(" \t\"");
    return begin == std::string::npos ? std::string() : line.substr(begin, end - begin + 1);
  }
  return {};
}

bool chooses_kernels(std::string_view flag) {
  return flag.starts_with("avx") || flag.starts_with("amx") || flag == "fma" || flag == "f16c" ||
         flag == "sse4_2";
}

std::vector<std::string> cpu_features() {
  std::vector<std::string> features;
  std::istringstream flags(field("/proc/cpuinfo", "flags", ':'));
  for (std::string flag; flags >> flag;)
    if (chooses_kernels(flag)) features.push_back(flag);
  return features;
}

}  // namespace

HostFacts host_facts() {
  HostFacts facts;
  utsname system{};
  if (::uname(&system) == 0) {
    facts.name = system.nodename;
    facts.kernel = std::string(system.sysname) + " " + system.release;
  }
  facts.os = field("/etc/os-release", "PRETTY_NAME", '=');
  facts.cpu = field("/proc/cpuinfo", "model name", ':');
  facts.cpu_features = cpu_features();
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) facts.cores = CPU_COUNT(&allowed);
  facts.memory_mb = ::sysconf(_SC_PHYS_PAGES) / 1024 * (::sysconf(_SC_PAGESIZE) / 1024);
  return facts;
}

}  // namespace kinema::tracking
