#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "framework/media/index.h"

namespace kinema::media {

// An index as bytes: versioned, with a checksum, some fifteen bytes a frame.
std::string index_to_bytes(const Index& index);

// The index that such bytes hold; `where` is for the message. Throws Error(data) for bytes of another
// version, damaged ones, and numbers that contradict one another or the limits: what comes back is safe to
// decode with, whoever made it (FrameReader finds out where it is wrong about the file).
Index index_from_bytes(std::span<const std::uint8_t> bytes, const std::string& where,
                       const Limits& limits = {});

}  // namespace kinema::media
