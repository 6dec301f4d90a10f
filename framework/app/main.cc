#include "framework/app/command_line.h"

int main(int argc, char** argv) { return kinema::app::run_command_line(argc, argv); }
