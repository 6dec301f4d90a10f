#include "blocks/least_clip.h"

#include "blocks/clip_input.h"
#include "kinema/error.h"

namespace kinema::blocks {
namespace {

std::string text_of(const Extent<3>& size) {
  return std::to_string(size[0]) + (size[0] == 1 ? " frame of " : " frames of ") + std::to_string(size[1]) +
         "x" + std::to_string(size[2]);
}

}  // namespace

const at::Tensor& clip_of_at_least(const ClipBatch& batch, const std::string& modality,
                                   const Extent<3>& least) {
  const at::Tensor& clip = checked_clip(batch, modality);
  const Extent<3> size(clip.size(2), clip.size(3), clip.size(4));
  if (size[0] >= least[0] && size[1] >= least[1] && size[2] >= least[2]) return clip;
  throw Error(ErrorKind::run, "clip " + modality,
              "too small: expected at least " + text_of(least) + ", got " + text_of(size));
}

}  // namespace kinema::blocks
