#pragma once

#include <memory>

#include "framework/data/clip_source.h"

// Videos that are folders of numbered pictures.
namespace kinema::data {

// The pictures of source.pattern; with source.pattern_down the pairs of both, in channels 0 and 1, channel 2
// is 128 and reaches no model. The last part of a pattern names the pictures and has one %d or %05d in it, %%
// is a percent sign; the folders before it are taken as they are.
//
// Optical flow: byte = round(127.5 + pixels / bound * 127.5), cut off at 0 and 255, so that byte / 127.5 - 1
// is the motion in units of the bound. A mirrored clip moves the other way: 255 - byte to the right, which is
// exactly the negative value. Values stay those of the pictures' own size where these are resized.
//
// Throws Error(data) for no pictures, a wrong pattern, rows of a pair that differ in number or size.
std::unique_ptr<OpenSource> open_pictures(const Source& source, const media::Limits& limits);

}  // namespace kinema::data
