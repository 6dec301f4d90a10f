#include "tests/support/difference_log.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace kinema::test {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return fs::path(KINEMA_BUILD_DIR) / "model_differences"; }

}  // namespace

void note_difference(const std::string& reference, const std::string& one_case, const std::string& what,
                     double value) {
  fs::create_directories(folder());
  std::ofstream(folder() / (reference + "." + one_case + "." + what)) << value << '\n';
}

double largest_difference(const std::string& reference, const std::string& what) {
  double largest = -1;
  if (!fs::exists(folder())) return largest;
  for (const auto& entry : fs::directory_iterator(folder())) {
    const std::string name = entry.path().filename();
    double value = 0;
    if (name.starts_with(reference + ".") && name.ends_with("." + what) &&
        std::ifstream(entry.path()) >> value)
      largest = std::max(largest, value);
  }
  return largest;
}

}  // namespace kinema::test
