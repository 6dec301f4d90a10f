#include "framework/plugin/mapped_file.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace kinema::plugin {

std::string mapped_file(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2) continue;
    if (wanted < begin || wanted >= end) continue;
    std::istringstream words(line);
    std::string range, access, offset, device, inode;
    words >> range >> access >> offset >> device >> inode;
    return inode == "0" ? std::string() : device + ' ' + inode;
  }
  return {};
}

std::string mapped_file(int file) {
  void* page = mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, file, 0);
  if (page == MAP_FAILED) return {};
  std::string id = mapped_file(page);
  munmap(page, 1);
  return id;
}

}  // namespace kinema::plugin
