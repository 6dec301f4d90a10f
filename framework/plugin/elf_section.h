#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinema::plugin {

// The bytes of section `name` of a shared library for this machine (ELF, 64 bits, x86-64), found with bounded
// reads of an open file: nothing is mapped, no code runs, at most about 20 MiB are read whatever the file
// claims. Nothing when there is no such section. Throws Error(plugin) at `where` when the file is not such a
// library, is truncated or claims absurd sizes; the section itself may hold at most `limit` bytes.
std::optional<std::string> read_elf_section(int file, std::uint64_t file_size, std::string_view name,
                                            std::uint64_t limit, const std::string& where);

}  // namespace kinema::plugin
