#include "framework/infer/tensor_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "framework/checkpoint/safetensors.h"
#include "kinema/error.h"

namespace kinema::infer {

void write_tensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                   const std::map<std::string, std::string>& metadata) {
  const std::string temporary = fmt::format("{}.tmp-{}", path, ::getpid());
  std::error_code failed;
  std::filesystem::remove(temporary, failed);
  try {
    checkpoint::write_safetensors(checkpoint::real_file_system(), temporary, tensors, metadata);
    std::filesystem::rename(temporary, path);
  } catch (const std::filesystem::filesystem_error& error) {
    std::filesystem::remove(temporary, failed);
    throw Error(ErrorKind::run, path, "cannot be written: " + error.code().message());
  } catch (...) {
    std::filesystem::remove(temporary, failed);
    throw;
  }
}

}  // namespace kinema::infer
