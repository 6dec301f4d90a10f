#pragma once

#include <string>

namespace kinema::plugin {

// Which file the memory at `address` is mapped from, as the kernel says it ("08:01 1234": device and inode).
// Empty when it is no file or the kernel does not say.
std::string mapped_file(const void* address);

// The same for an open file, asked in the same way: stat() may name another device than the memory map does
// (overlay and btrfs volumes).
std::string mapped_file(int file);

}  // namespace kinema::plugin
