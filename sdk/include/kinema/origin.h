#pragma once

#include <string>

#include "kinema/export.h"

namespace kinema {

// Where a value was said. `line` and `column` count from 1; 0 means that the source has no lines.
struct Origin {
  std::string
      source;  // file name as the user gave it, "command line", "KINEMA_SET", "default", "preset NAME"
  int line = 0;
  int column = 0;
  std::string base;  // folder that relative paths of this source are relative to; empty: the current folder

  // "exp.toml:12:3", or the source's name alone where there is no line.
  KINEMA_API std::string text() const;
};

}  // namespace kinema
