// The program itself is a few lines that link to nothing: LibTorch's OpenMP reads its environment while it is
// being loaded, so what it should find there must be set before.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace {

constexpr int kPluginExit = 3;  // a library cannot be loaded

// Threads that spin at the end of each parallel loop take the cores from the video decoders beside them:
// measured on two cores with other work on them, a training step took ten times as long. A user's own setting
// wins.
void choose_thread_waiting() { setenv("OMP_WAIT_POLICY", "passive", 0); }

}  // namespace

int main(int argc, char** argv) {
  choose_thread_waiting();
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) {  // a relative path would load whatever lies in the current folder
    std::fprintf(stderr,
                 "kinema: the host cannot be found: expected /proc/self/exe, got \"%s\"\nhint: mount /proc\n",
                 failed.message().c_str());
    return kPluginExit;
  }
  const auto host = program.parent_path().parent_path() / "lib" / "libkinema_host.so";
  void* library = dlopen(host.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* entry = library ? dlsym(library, "kinema_host_main") : nullptr;
  if (!entry) {
    std::fprintf(stderr, "kinema: the host cannot be loaded: %s\nhint: build or install kinema again\n",
                 dlerror());
    return kPluginExit;
  }
  return reinterpret_cast<int (*)(int, char**)>(entry)(argc, argv);
}
