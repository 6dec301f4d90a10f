#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

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

// The files that open_pictures() would read, in order: those of pattern, then those of pattern_down.
std::vector<std::filesystem::path> pictures_of(const Source& source);

// What mirroring does to the values of optical flow besides moving them: RGB24 pixels, the motion to the
// right in the first channel.
void turn_flow(std::span<std::uint8_t> pixels);

}  // namespace kinema::data
