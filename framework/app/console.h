#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "framework/config/sources.h"
#include "framework/eval/assembly.h"

// The one place that prints. stdout: results; stderr: everything that is said on the way.
namespace kinema::app {

// Lines on stdout; the last one is ended where it is not.
void print(std::string_view text);
void note(std::string_view text);  // a line on stderr
void warn(std::string_view text);  // "warning: ..." on stderr

// note() and warn() for those who build things.
eval::Lines console_lines();

// The configuration texts that messages may point into.
void remember_sources(config::Sources texts);

// True when stderr is a terminal and NO_COLOR is not set.
bool colour_wanted();

// Runs a command; an exception becomes its message on stderr and the exit code of its kind.
int guarded(const std::function<int()>& command);

// A wrong command line: message on stderr, exit code 2.
int report_usage(const std::string& what, const std::string& hint);

}  // namespace kinema::app
