#pragma once

#include <exception>
#include <string>
#include <vector>

#include "kinema/export.h"
#include "kinema/origin.h"

namespace kinema {

// What a failure means to the person who started the program; its number is the exit code of `kinema`.
enum class ErrorKind : int {
  run = 1,       // the run failed: out of memory, an I/O error, a broken invariant
  usage = 2,     // command line or configuration
  plugin = 3,    // a library was refused, or a component broke its contract
  data = 4,      // a video, list or annotation file
  diverged = 5,  // non-finite loss or gradient, too often in a row
};

// One thing that is wrong, ready to be printed as `where: what` and `hint: hint`.
struct Problem {
  std::string where;      // "exp.toml:12:1", "plugin resnet3d", "clip 17 (a/b.avi)"
  std::string what;       // lower case, "wrong value type: expected integer, got string"
  std::string hint = {};  // the next step; may be empty
  Origin origin = {};     // with a line: the host prints the source line under the message
};

// The only exception that leaves SDK, plugin and framework code on purpose. It carries every problem that was
// found, not the first one. Plugins throw it too; the host names the plugin and prints it once.
class KINEMA_API Error : public std::exception {
 public:
  Error(ErrorKind kind, std::vector<Problem> problems);
  Error(ErrorKind kind, std::string where, std::string what, std::string hint = {});
  ~Error() override;

  ErrorKind kind() const noexcept { return kind_; }
  const std::vector<Problem>& problems() const noexcept { return problems_; }
  // All problems as text, one `where: what` line each, followed by its `hint: ...` line.
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  ErrorKind kind_;
  std::vector<Problem> problems_;
  std::string text_;
};

}  // namespace kinema
