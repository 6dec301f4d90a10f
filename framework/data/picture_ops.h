#pragma once

#include <array>
#include <cstdint>

#include "kinema/clip.h"

// Operations of RandAugment on every frame of a clip, by the rules of the Python Imaging Library.
namespace kinema::data {

void invert(const PixelView& clip);
void autocontrast(const PixelView& clip);              // each channel of each frame stretched to 0..255
void equalise(const PixelView& clip);                  // each channel of each frame to a flat histogram
void posterise(const PixelView& clip, int bits);       // keeps the upper bits, 0 to 8
void solarise(const PixelView& clip, int threshold);   // inverts bytes of at least the threshold
void solarise_add(const PixelView& clip, int amount);  // adds to bytes below 128
void sharpen(const PixelView& clip, double factor);    // 0: smoothed, 1: as it is, 2: sharpened

// out(x, y) = in(m[0] x + m[1] y + m[2], m[3] x + m[4] y + m[5]) at pixel centres, bilinear; grey 0.45
// outside.
void transform_affine(const PixelView& clip, const std::array<double, 6>& m);
void rotate(const PixelView& clip, double degrees);  // about the centre, counter-clockwise

}  // namespace kinema::data
