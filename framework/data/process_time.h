#pragma once

namespace kinema::data {

// Of all threads of this process, in user and kernel mode.
double process_cpu_s();

}  // namespace kinema::data
