#pragma once

#include <string>

#include "framework/data/clip_source.h"

namespace kinema::infer {

enum class ClipStage { decoded, final };

// Writes a planned clip into a safetensors file, each source under the name of its modality: uint8
// [T, H, W, C] as it was decoded, whole frames; or float [C, T, H, W] on the trainer's own way from bytes to
// values. Frame numbers and geometry are the metadata: of the first source "frames" and so on, of others
// "flow.frames" and so on.
void write_clip(data::ClipReader& reader, const data::PlannedClip& clip, ClipStage stage,
                const std::string& output);

}  // namespace kinema::infer
