#include "framework/app/command_line.h"
#include "kinema/export.h"

// What the program `kinema` calls after it has prepared the process.
extern "C" KINEMA_API int kinema_host_main(int argc, char** argv) {
  return kinema::app::run_command_line(argc, argv);
}
