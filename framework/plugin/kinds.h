#pragma once

#include <string_view>

namespace kinema::plugin {

// The kinds of components, in the order of lists, and where an experiment file names one.
struct KindPlace {
  std::string_view kind;
  std::string_view header;  // of an example
  std::string_view path;    // of tables inside it
};

inline constexpr KindPlace kKinds[] = {
    {"model", "[model]", "model"},
    {"dataset", "[data.train]", "data.train"},
    {"loss", "[loss]", "loss"},
    {"callback", "[[callback]]", "callback"},
    {"scheduler", "[scheduler]", "scheduler"},
    {"transform", "[[transform.train]]", "transform.train"},
    {"metric", "[[metric]]", "metric"},
    {"optimizer", "[optimizer]", "optimizer"},
};

}  // namespace kinema::plugin
