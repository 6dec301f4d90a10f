#include "framework/checkpoint/python_file.h"

#include <algorithm>

#include "framework/checkpoint/printable.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

constexpr std::int64_t kTarMarkAt = 257;

std::string head(const FileReader& file, std::int64_t offset, std::int64_t bytes) {
  std::string out(static_cast<std::size_t>(std::clamp<std::int64_t>(file.bytes() - offset, 0, bytes)), '\0');
  file.read_at(offset, out.data(), out.size());
  return out;
}

bool is_zip(const FileReader& file) {
  const std::string start = head(file, 0, 4);
  return start == "PK\3\4" || start == "PK\5\6";
}

// The third byte is an opcode: a safetensors file of the same two bytes has a zero there.
bool is_pickle(const FileReader& file) {
  const std::string start = head(file, 0, 3);
  return start.size() == 3 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5 && start[2] != '\0';
}

bool is_tar(const FileReader& file) { return head(file, kTarMarkAt, 5) == "ustar"; }

}  // namespace

bool looks_like_python(const FileReader& file) { return is_zip(file) || is_pickle(file) || is_tar(file); }

PythonFile open_python_file(const FileReader& file) {
  if (is_tar(file))
    throw Error(ErrorKind::data, file.path(),
                "is a tar file of PyTorch 0.1: expected a file of torch.save of a later version",
                "load and save it again in Python");
  if (is_zip(file)) return open_python_archive(file);
  if (is_pickle(file)) return open_python_series(file);
  throw Error(ErrorKind::data, file.path(),
              "is no file of torch.save: expected a zip archive or a pickle, got the bytes " +
                  printable(head(file, 0, 4)));
}

}  // namespace kinema::checkpoint
