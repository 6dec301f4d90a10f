#pragma once

// Private to this folder.
#include <cstdint>

namespace kinema::media {

// RGB24 pixels in reverse order; `out` is another place than `in`.
void mirror_row(const std::uint8_t* in, int count, std::uint8_t* out);
// The same by one pixel at a time, for processors without vectors and for tests.
void mirror_row_plain(const std::uint8_t* in, int count, std::uint8_t* out);

}  // namespace kinema::media
