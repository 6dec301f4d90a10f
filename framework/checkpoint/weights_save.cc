#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "framework/checkpoint/python_save.h"
#include "framework/checkpoint/safetensors.h"
#include "framework/checkpoint/weights.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

void write(const std::string& path, WeightsFormat format, const std::vector<NamedTensor>& tensors,
           const std::map<std::string, std::string>& metadata) {
  if (format == WeightsFormat::python)
    save_python_weights(real_file_system(), path, tensors);
  else
    write_safetensors(real_file_system(), path, tensors, metadata);
}

}  // namespace

WeightsFormat weights_format(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension();
  if (ending == ".safetensors") return WeightsFormat::safetensors;
  if (ending == ".pth" || ending == ".pt" || ending == ".pyth") return WeightsFormat::python;
  throw Error(
      ErrorKind::usage, path,
      fmt::format("unknown kind of file: expected a name in .safetensors, .pth, .pt or .pyth, got \"{}\"",
                  ending));
}

void save_weights(const std::string& path, WeightsFormat format, const std::vector<NamedTensor>& tensors,
                  const std::map<std::string, std::string>& metadata) {
  const std::string temporary = fmt::format("{}.tmp-{}", path, ::getpid());
  std::error_code failed;
  std::filesystem::remove(temporary, failed);
  try {
    write(temporary, format, tensors, metadata);
    std::filesystem::rename(temporary, path);
  } catch (const std::filesystem::filesystem_error& error) {
    std::filesystem::remove(temporary, failed);
    throw Error(ErrorKind::run, path, "cannot be written: " + error.code().message());
  } catch (...) {
    std::filesystem::remove(temporary, failed);
    throw;
  }
}

}  // namespace kinema::checkpoint
