#include "blocks/clip_input.h"

#include <sstream>

#include "kinema/error.h"

namespace kinema::blocks {

std::int64_t channels_of(const std::string& modality) { return modality == "flow" ? 2 : 3; }

const at::Tensor& checked_clip(const ClipBatch& batch, const std::string& modality) {
  const at::Tensor& clip = batch.clip(modality);
  if (clip.dim() == 5 && clip.size(1) == channels_of(modality)) return clip;
  std::ostringstream got;
  got << clip.sizes();
  throw Error(ErrorKind::run, "clip " + modality,
              "wrong shape: expected [batch, " + std::to_string(channels_of(modality)) +
                  ", frames, height, width], got " + got.str());
}

}  // namespace kinema::blocks
