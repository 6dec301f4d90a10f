#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include "framework/config/experiment.h"

namespace kinema::eval {

// Mixed precision for the forward pass of a scope, on this thread. backward() runs outside of it. fp32: does
// nothing.
class Autocast {
 public:
  Autocast(c10::DeviceType device, config::Precision precision);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType device_;
  bool active_;
  bool was_enabled_ = false;
  bool cache_was_enabled_ = false;
  c10::ScalarType previous_dtype_ = c10::ScalarType::Float;
};

}  // namespace kinema::eval
