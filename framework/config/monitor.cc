#include "framework/config/monitor.h"

#include <algorithm>

#include "framework/config/toml_limits.h"
#include "kinema/suggest.h"
#include "kinema/value.h"

namespace kinema::config {

const std::vector<std::string>& builtin_metrics() {
  static const std::vector<std::string> names = {
      "train/loss",     "val/loss", "val/top1",      "val/top5",
      "val/mean_class", "val/mAP",  "val/frame_mAP", "val/frame_mAP_slowfast"};
  return names;
}

void check_monitor(const std::string& name, const std::vector<std::string>& more, const Origin& origin,
                   const std::string& path, std::vector<Problem>& problems) {
  std::vector<std::string> known = builtin_metrics();
  for (const std::string& metric : more)
    if (std::find(known.begin(), known.end(), metric) == known.end()) known.push_back(metric);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  problems.push_back(problem_at(
      origin, path, "unknown monitor: expected " + one_of_text(known) + ", got " + Value(name).text(),
      did_you_mean(name, known)));
}

}  // namespace kinema::config
