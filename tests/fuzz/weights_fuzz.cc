#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "framework/checkpoint/weights.h"
#include "kinema/error.h"

// Whatever bytes a file of weights holds: tensors or an error of ours. Reads every element, so that a tensor
// outside its storage is seen by the sanitizer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/dev/shm/kinema-weights-fuzz-" + std::to_string(::getpid());
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) __builtin_trap();
  ::close(file);
  try {
    using namespace kinema::checkpoint;
    for (const kinema::NamedTensor& named : load_weights(real_file_system(), path).tensors)
      named.tensor.clone();
  } catch (const kinema::Error&) {
  }
  ::unlink(path.c_str());
  return 0;
}
