#include "framework/data/loader_pace.h"

#include <chrono>

#include "framework/data/pixel_means.h"
#include "framework/tracking/clock.h"

namespace kinema::data {

LoaderPace loader_pace(Loader& loader, std::uint64_t epoch, bool check) {
  LoaderPace pace;
  loader.reset_stats();
  const double cpu_before = tracking::process_cpu_s();
  const auto begin = std::chrono::steady_clock::now();
  loader.start(epoch);
  while (const auto batch = loader.next()) {
    pace.bytes += batch->bytes();
    if (!check) continue;
    const auto means = pixel_means({batch->pixels.get(), static_cast<std::size_t>(batch->bytes())});
    for (std::size_t c = 0; c < means.size(); ++c)
      pace.means[c] += means[c] * static_cast<double>(batch->bytes());
  }
  pace.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  pace.cpu_seconds = tracking::process_cpu_s() - cpu_before;
  pace.wait_s = loader.stats().wait_s;
  pace.clips = loader.stats().clips;
  pace.batches = loader.stats().batches;
  for (double& mean : pace.means) mean = pace.bytes == 0 ? 0 : mean / static_cast<double>(pace.bytes);
  return pace;
}

}  // namespace kinema::data
