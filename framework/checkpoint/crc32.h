#pragma once

#include <cstddef>
#include <cstdint>

namespace kinema::checkpoint {

// CRC-32 of zip (reflected 0xEDB88320; "123456789" gives 0xCBF43926). `crc` continues an earlier call.
std::uint32_t crc32(const void* data, std::size_t bytes, std::uint32_t crc = 0);

}  // namespace kinema::checkpoint
