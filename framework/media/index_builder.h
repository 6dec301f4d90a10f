#pragma once

// Private to this folder.
#include "framework/media/container.h"
#include "framework/media/index.h"

namespace kinema::media {

// Reads `container` from where it was opened to its end: a scan first, then, on any doubt (or when the limits
// say so), a decode of everything. Throws Error(data) when not one frame can be decoded.
Index build_index(Container& container, const Limits& limits);
// Only the decode.
Index build_index_by_decoding(Container& container, const Limits& limits, std::string why);

}  // namespace kinema::media
