#pragma once

#include <string>

#include "kinema/module.h"

namespace kinema {

struct Module::Named {
  std::string name;
  at::Tensor tensor;
  bool computed = false;  // by the module: a table
};

}  // namespace kinema
