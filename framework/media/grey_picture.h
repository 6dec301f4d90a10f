#pragma once

#include <cstdint>
#include <string>

#include "kinema/geometry.h"

namespace kinema::media {

enum class PictureFormat { jpeg, png };

// Writes one byte a pixel, [height, width], as a picture. PNG keeps the bytes; JPEG (full range, the smallest
// quantiser but one) keeps them within a few levels, and its colour channels hold no colour. The same input
// gives the same file. Throws Error(run) naming the path.
void write_grey(const std::string& path, const std::uint8_t* grey, Size size, PictureFormat format);

}  // namespace kinema::media
