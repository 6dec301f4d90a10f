#include "kinema/origin.h"

namespace kinema {

std::string Origin::text() const {
  if (line == 0) return source;
  return source + ":" + std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace kinema
