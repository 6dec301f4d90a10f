#include "kinema/transform.h"

namespace kinema {

Transform::~Transform() = default;
void Transform::plan(ClipPlan&, Random&) const {}
void Transform::pixels(const PixelView&, Random&) const {}

}  // namespace kinema
