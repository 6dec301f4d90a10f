#include "framework/eval/autocast.h"

#include <ATen/autocast_mode.h>

namespace kinema::eval {

Autocast::Autocast(c10::DeviceType device, config::Precision precision)
    : device_(device), active_(precision == config::Precision::bf16) {
  if (!active_) return;
  was_enabled_ = at::autocast::is_autocast_enabled(device_);
  cache_was_enabled_ = at::autocast::is_autocast_cache_enabled();
  previous_dtype_ = at::autocast::get_autocast_dtype(device_);
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, at::kBFloat16);
  at::autocast::set_autocast_cache_enabled(true);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!active_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_enabled_);
  at::autocast::set_autocast_dtype(device_, previous_dtype_);
  at::autocast::set_autocast_cache_enabled(cache_was_enabled_);
}

}  // namespace kinema::eval
