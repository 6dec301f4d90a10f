#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace kinema::tracking {

// Everything that is written down is UTC.
std::string utc_text(std::time_t time);       // "2026-01-31T12:00:00Z"
std::string utc_file_name(std::time_t time);  // "20260131-120000"
double unix_time();                           // seconds since 1970, with fraction
double monotonic_s();                         // for durations: never jumps

// "1:02:03", "02:03"; "--:--" for what is negative, not finite or above 999 hours.
std::string duration_text(double seconds);

// CPU time in user and kernel mode: of all threads of this process, of the calling one.
double process_cpu_s();
double thread_cpu_s();

// The most memory this process has held so far, in MiB.
double peak_rss_mb();

}  // namespace kinema::tracking
