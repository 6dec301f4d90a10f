#pragma once

#include <string_view>

#include "kinema/clip.h"
#include "kinema/export.h"
#include "kinema/random.h"

namespace kinema {

// An augmentation or a preparation step. Geometry and times belong into plan(): all transforms' plans are
// composed and done inside decoding, in one pass. Values belong into pixels(). Both get the same generator
// state for the same (seed, epoch, sample, position in the list): results do not depend on workers, ranks or
// resumes.
class KINEMA_API Transform {
 public:
  static constexpr std::string_view kKind = "transform";
  virtual ~Transform();

  // Edits what will be decoded. [worker threads, concurrent]
  virtual void plan(ClipPlan& plan, Random& random) const;
  // Edits decoded pixels in place; may not change their shape. [worker threads, concurrent]
  virtual void pixels(const PixelView& clip, Random& random) const;
  // True when a mirrored clip is what this makes: the host then warns about class names that look
  // directional.
  virtual bool mirrors() const { return false; }
};

}  // namespace kinema
