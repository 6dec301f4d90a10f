#pragma once

#include <cstdint>
#include <memory>

#include "kinema/model.h"
#include "options.h"

namespace kinema::x3d {

// Feichtenhofer 2020, "X3D: Expanding Architectures for Efficient Video Recognition". Parameter names and
// initialisation are PySlowFast's. Features are the maps of conv5, before they are averaged.
std::shared_ptr<Model> make_x3d(const X3dOptions& options, std::int64_t classes);

}  // namespace kinema::x3d
