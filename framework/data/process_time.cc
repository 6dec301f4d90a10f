#include "framework/data/process_time.h"

#include <sys/resource.h>

namespace kinema::data {

double process_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr double kMicro = 1e-6;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + kMicro * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace kinema::data
