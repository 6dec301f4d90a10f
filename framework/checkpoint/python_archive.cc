#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "framework/checkpoint/printable.h"
#include "framework/checkpoint/python_file.h"
#include "framework/checkpoint/zip_archive.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

constexpr std::string_view kPickleName = "data.pkl";
constexpr int kNewestVersion = 10;
constexpr std::int64_t kLongestNote = 64;  // bytes of the records that hold a word or a number

// "NAME/" of the one folder with a data.pkl.
std::string find_prefix(const ZipArchive& archive, const std::string& where) {
  std::string prefix;
  int found = 0;
  for (const ZipRecord& record : archive.records()) {
    const std::size_t slash = record.name.find('/');
    if (slash == std::string::npos || record.name.substr(slash + 1) != kPickleName) continue;
    prefix = record.name.substr(0, slash + 1);
    ++found;
  }
  if (found == 1) return prefix;
  throw Error(ErrorKind::data, where,
              found == 0 ? "is a zip archive, but not of torch.save: expected NAME/data.pkl, got none"
                         : fmt::format("holds {} saved objects: expected one NAME/data.pkl", found));
}

void refuse_torchscript(const ZipArchive& archive, const std::string& prefix, const std::string& where) {
  const std::string code = prefix + "code/";
  for (const ZipRecord& record : archive.records())
    if (record.name.starts_with(code) || record.name == prefix + "constants.pkl")
      throw Error(ErrorKind::data, where, "is a TorchScript archive, a program: expected a state dict",
                  "in Python: torch.save(torch.jit.load(path).state_dict(), other)");
}

// The content of a small record; "" when there is none.
std::string note(const ZipArchive& archive, const std::string& name) {
  const ZipRecord* record = archive.find(name);
  return record == nullptr ? std::string() : archive.read_text(*record, kLongestNote);
}

void check_version(const std::string& text, const std::string& where) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string rest = text.substr(digits);
  if (digits == 0 || digits > 4 || (!rest.empty() && rest != "\n"))
    throw Error(ErrorKind::data, where, "record 'version' is no number: got " + printable(text));
  const int version = std::stoi(text.substr(0, digits));
  if (version < 1 || version > kNewestVersion)
    throw Error(
        ErrorKind::data, where,
        fmt::format("archive format is not known: expected 1 to {}, got {}", kNewestVersion, version));
}

void check_notes(const ZipArchive& archive, const std::string& prefix, const std::string& where) {
  if (const std::string order = note(archive, prefix + "byteorder"); !order.empty() && order != "little")
    throw Error(ErrorKind::data, where,
                "byte order is not supported: expected little, got " + printable(order));
  if (const std::string version = note(archive, prefix + "version"); !version.empty())
    check_version(version, where);
}

}  // namespace

PythonFile open_python_archive(const FileReader& file) {
  const ZipArchive archive(file);
  const std::string prefix = find_prefix(archive, file.path());
  refuse_torchscript(archive, prefix, file.path());
  archive.refuse_compressed();
  check_notes(archive, prefix, file.path());
  PythonFile out;
  const std::string pickle = prefix + std::string(kPickleName);
  out.text = std::make_unique<const std::string>(archive.read_text(*archive.find(pickle), kMaxPickleBytes));
  out.tree = read_pickle(*out.text, fmt::format("{}: {}", file.path(), kPickleName));
  if (out.tree.bytes != out.text->size())
    throw Error(ErrorKind::data, file.path(),
                fmt::format("{} bytes after the pickle in data.pkl", out.text->size() - out.tree.bytes));
  const std::string data = prefix + "data/";
  for (const ZipRecord& record : archive.records())
    if (record.name.starts_with(data))
      out.storages[record.name.substr(data.size())] = {record.data, record.bytes, record.crc};
  return out;
}

}  // namespace kinema::checkpoint
