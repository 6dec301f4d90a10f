#pragma once

namespace kinema::app {

// Parses the arguments, runs the command and prints what went wrong. The exit code of the program.
int run_command_line(int argc, char** argv);

}  // namespace kinema::app
