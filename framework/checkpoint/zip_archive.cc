#include "framework/checkpoint/zip_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/checkpoint/byte_cursor.h"
#include "framework/checkpoint/checked_read.h"
#include "framework/checkpoint/printable.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

constexpr std::uint32_t kHeaderMark = 0x04034b50;
constexpr std::size_t kHeaderBytes = 30;
constexpr std::uint16_t kSizesFollowFlag = 8;
constexpr std::uint32_t kIn64 = 0xffffffff;
constexpr std::size_t kMaxProblems = 20;

// Sizes in the local header are the directory's, or left to what follows the data.
bool agrees(std::uint32_t local, std::uint64_t listed, bool later) {
  return local == listed || local == kIn64 || (later && local == 0);
}

// Finds where the record's content starts; what is wrong with its local header, or "".
std::string locate(const FileReader& file, std::int64_t limit, ZipRecord& record) {
  const std::size_t bytes = kHeaderBytes + record.name.size();
  if (static_cast<std::int64_t>(bytes) > limit - record.header) return "has no room for its header";
  std::string text(bytes, '\0');
  file.read_at(record.header, text.data(), text.size());
  ByteCursor cursor(text, file.path());
  if (cursor.u32() != kHeaderMark) return fmt::format("has no header at byte {}", record.header);
  cursor.take(2);
  const bool later = (cursor.u16() & kSizesFollowFlag) != 0;
  if ((cursor.u16() != 0) != record.compressed) return "has another compression in its header";
  cursor.take(4);
  const std::uint32_t crc = cursor.u32(), stored = cursor.u32(), size = cursor.u32();
  const std::uint16_t name = cursor.u16(), extra = cursor.u16();
  if (name != record.name.size() || cursor.take(name) != record.name) return "has another name in its header";
  const auto listed = static_cast<std::uint64_t>(record.bytes);
  if (!agrees(stored, listed, later) || (!record.compressed && !agrees(size, listed, later)))
    return fmt::format("has {} bytes in its header and {} in the directory", stored, listed);
  if (crc != record.crc && !(later && crc == 0)) return "has another checksum in its header";
  record.data = record.header + static_cast<std::int64_t>(bytes) + extra;
  if (record.data > limit || record.bytes > limit - record.data) return "runs into the directory";
  return {};
}

void check_apart(std::vector<ZipRecord>& records, std::vector<Problem>& problems, const std::string& where) {
  std::sort(records.begin(), records.end(),
            [](const ZipRecord& a, const ZipRecord& b) { return a.header < b.header; });
  for (std::size_t i = 1; i < records.size(); ++i)
    if (records[i].header < records[i - 1].data + records[i - 1].bytes)
      problems.push_back({where, "records " + printable(records[i - 1].name) + " and " +
                                     printable(records[i].name) + " overlap"});
}

bool by_name(const ZipRecord& record, std::string_view name) { return record.name < name; }

}  // namespace

ZipArchive::ZipArchive(const FileReader& file) : file_(file) {
  ZipDirectory directory = read_zip_directory(file);
  records_ = std::move(directory.records);
  std::vector<Problem> problems;
  for (ZipRecord& record : records_) {
    const std::string fault = locate(file, directory.begin, record);
    if (!fault.empty()) problems.push_back({file.path(), "record " + printable(record.name) + " " + fault});
    if (problems.size() >= kMaxProblems) break;
  }
  if (problems.empty()) check_apart(records_, problems, file.path());
  if (problems.size() > kMaxProblems) problems.resize(kMaxProblems);
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  std::sort(records_.begin(), records_.end(),
            [](const ZipRecord& a, const ZipRecord& b) { return a.name < b.name; });
}

const ZipRecord* ZipArchive::find(std::string_view name) const {
  const auto found = std::lower_bound(records_.begin(), records_.end(), name, by_name);
  return found != records_.end() && found->name == name ? &*found : nullptr;
}

void ZipArchive::refuse_compressed() const {
  std::vector<Problem> problems;
  for (const ZipRecord& record : records_)
    if (record.compressed && problems.size() < kMaxProblems)
      problems.push_back({file_.path(),
                          "record " + printable(record.name) + " is compressed: expected it stored",
                          "save it again with torch.save, or zip it without compression"});
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
}

void ZipArchive::read(const ZipRecord& record, void* out) const {
  read_checked(file_, {record.data, record.bytes, record.crc}, out, "record " + printable(record.name));
}

std::string ZipArchive::read_text(const ZipRecord& record, std::int64_t limit) const {
  if (record.bytes > limit)
    throw Error(ErrorKind::data, file_.path(),
                fmt::format("record {} is too large: expected at most {} bytes, got {}",
                            printable(record.name), limit, record.bytes));
  std::string text(static_cast<std::size_t>(record.bytes), '\0');
  read(record, text.data());
  return text;
}

}  // namespace kinema::checkpoint
