#include "framework/checkpoint/zip_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "framework/checkpoint/byte_cursor.h"
#include "framework/checkpoint/printable.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

constexpr std::uint32_t kEntryMark = 0x02014b50;
constexpr std::uint32_t kEnd64Mark = 0x06064b50;
constexpr std::uint32_t kLocatorMark = 0x07064b50;
constexpr std::int64_t kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr std::int64_t kMaxCommentBytes = 0xffff;
constexpr std::uint16_t kEncryptedFlag = 1;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint32_t kIn64 = 0xffffffff;  // the true number is in the zip64 part
constexpr std::size_t kMaxProblems = 20;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::data, where, what);
}

std::string read_part(const FileReader& file, std::int64_t offset, std::int64_t bytes) {
  std::string out(static_cast<std::size_t>(bytes), '\0');
  file.read_at(offset, out.data(), out.size());
  return out;
}

struct End {
  std::uint64_t entries = 0, bytes = 0, begin = 0;  // of the directory
  std::int64_t limit = 0;                           // where it has to end
};

// Offset of the end record: the last one whose comment ends with the file.
std::int64_t find_end(const FileReader& file) {
  const std::int64_t tail = std::min(file.bytes(), kEndBytes + kMaxCommentBytes);
  const std::string text = read_part(file, file.bytes() - tail, tail);
  for (std::int64_t at = tail - kEndBytes; at >= 0; --at) {
    if (text.compare(static_cast<std::size_t>(at), 4, "PK\5\6") != 0) continue;
    ByteCursor cursor(std::string_view(text).substr(static_cast<std::size_t>(at)), file.path());
    cursor.take(20);
    if (cursor.u16() == tail - at - kEndBytes) return file.bytes() - tail + at;
  }
  fail(file.path(), "zip archive is cut off: expected its directory at the end, got none");
}

End read_end64(const FileReader& file, std::int64_t locator) {
  const std::string pointer = read_part(file, locator, kLocatorBytes);
  ByteCursor link(pointer, file.path());
  link.take(8);
  const std::uint64_t at = link.u64();
  if (locator < kEnd64Bytes || at > static_cast<std::uint64_t>(locator - kEnd64Bytes))
    fail(file.path(), fmt::format("zip64 end record at byte {} is outside the file", at));
  const std::string text = read_part(file, static_cast<std::int64_t>(at), kEnd64Bytes);
  ByteCursor cursor(text, file.path());
  if (cursor.u32() != kEnd64Mark) fail(file.path(), fmt::format("no zip64 end record at byte {}", at));
  cursor.take(8 + 2 + 2);
  if (cursor.u32() != 0 || cursor.u32() != 0) fail(file.path(), "zip archive spans several files");
  End end;
  end.entries = cursor.u64();
  if (cursor.u64() != end.entries) fail(file.path(), "zip64 end record counts its entries in two ways");
  end.bytes = cursor.u64();
  end.begin = cursor.u64();
  end.limit = static_cast<std::int64_t>(at);
  return end;
}

End read_end(const FileReader& file) {
  const std::int64_t at = find_end(file);
  const std::int64_t locator = at - kLocatorBytes;
  if (locator >= 0) {
    const std::string text = read_part(file, locator, kLocatorBytes);
    if (ByteCursor(text, file.path()).u32() == kLocatorMark) return read_end64(file, locator);
  }
  const std::string text = read_part(file, at, kEndBytes);
  ByteCursor cursor(text, file.path());
  cursor.take(4);
  if (cursor.u16() != 0 || cursor.u16() != 0) fail(file.path(), "zip archive spans several files");
  End end;
  end.entries = cursor.u16();
  if (cursor.u16() != end.entries) fail(file.path(), "zip end record counts its entries in two ways");
  end.bytes = cursor.u32();
  end.begin = cursor.u32();
  end.limit = at;
  return end;
}

void check_end(const End& end, const std::string& where) {
  if (end.entries > static_cast<std::uint64_t>(kMaxZipRecords))
    fail(where, fmt::format("too many records: expected at most {}, got {}", kMaxZipRecords, end.entries));
  if (end.bytes > static_cast<std::uint64_t>(kMaxZipDirectoryBytes))
    fail(where, fmt::format("zip directory is too long: expected at most {} bytes, got {}",
                            kMaxZipDirectoryBytes, end.bytes));
  const auto limit = static_cast<std::uint64_t>(end.limit);
  if (end.begin > limit || end.bytes != limit - end.begin)
    fail(where, fmt::format("zip directory of {} bytes at byte {} does not end where it must, at byte {}",
                            end.bytes, end.begin, end.limit));
}

// Why a record of this name may not be; empty: it may.
std::string name_fault(std::string_view name) {
  if (name.empty()) return "has an empty name";
  if (name.size() > kMaxZipNameBytes) return "has a name that is too long";
  if (name.front() == '/' || name.find('\\') != name.npos || name.find(':') != name.npos)
    return "has an absolute or foreign path";
  if (name.find('\0') != name.npos) return "has a zero byte in its name";
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('/', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    if (part == "..") return "leaves the archive's folder";
    if (part == "." || (part.empty() && end != name.size())) return "has a path that is not plain";
    at = end + 1;
  }
  return {};
}

struct Entry {
  std::string_view name;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t crc = 0;
  std::uint64_t stored = 0, bytes = 0, header = 0;
};

// Numbers too large for their 32 bits follow in a fixed order.
void read_zip64_field(Entry& entry, std::string_view extra, const std::string& where) {
  ByteCursor fields(extra, where + ": extra field of " + printable(entry.name));
  while (fields.left() >= 4) {
    const std::uint16_t id = fields.u16();
    const std::string_view content = fields.take(fields.u16());
    if (id != kZip64Field) continue;
    ByteCursor numbers(content, fields.where());
    for (std::uint64_t* number : {&entry.bytes, &entry.stored, &entry.header})
      if (*number == kIn64) *number = numbers.u64();
    return;
  }
}

Entry read_entry(ByteCursor& cursor) {
  if (cursor.u32() != kEntryMark)
    fail(cursor.where(), fmt::format("no zip directory entry at byte {} of the directory", cursor.at() - 4));
  Entry entry;
  cursor.take(4);
  entry.flags = cursor.u16();
  entry.method = cursor.u16();
  cursor.take(4);
  entry.crc = cursor.u32();
  entry.stored = cursor.u32();
  entry.bytes = cursor.u32();
  const std::uint16_t name = cursor.u16(), extra = cursor.u16(), comment = cursor.u16();
  cursor.take(8);
  entry.header = cursor.u32();
  entry.name = cursor.take(name);
  read_zip64_field(entry, cursor.take(extra), cursor.where());
  cursor.take(comment);
  return entry;
}

std::string entry_fault(const Entry& entry, std::int64_t begin) {
  if (std::string fault = name_fault(entry.name); !fault.empty()) return fault;
  if ((entry.flags & kEncryptedFlag) != 0) return "is encrypted";
  if (entry.method == 0 && entry.stored != entry.bytes)
    return fmt::format("is stored, but has {} bytes and {} in the file", entry.bytes, entry.stored);
  const auto limit = static_cast<std::uint64_t>(begin);
  if (entry.header > limit || entry.stored > limit - entry.header)
    return fmt::format("of {} bytes at byte {} is outside the file", entry.stored, entry.header);
  return {};
}

void check_names(const std::vector<ZipRecord>& records, std::vector<Problem>& problems,
                 const std::string& where) {
  std::vector<std::string_view> names;
  for (const ZipRecord& record : records) names.push_back(record.name);
  std::sort(names.begin(), names.end());
  for (std::size_t i = 1; i < names.size() && problems.size() < kMaxProblems; ++i)
    if (names[i] == names[i - 1])
      problems.push_back({where, "record " + printable(names[i]) + " comes twice"});
}

}  // namespace

ZipDirectory read_zip_directory(const FileReader& file) {
  const End end = read_end(file);
  check_end(end, file.path());
  ZipDirectory out;
  out.begin = static_cast<std::int64_t>(end.begin);
  const std::string text = read_part(file, out.begin, static_cast<std::int64_t>(end.bytes));
  ByteCursor cursor(text, file.path());
  std::vector<Problem> problems;
  for (std::uint64_t i = 0; i < end.entries; ++i) {
    const Entry entry = read_entry(cursor);
    const std::string fault = entry_fault(entry, out.begin);
    if (!fault.empty() && problems.size() < kMaxProblems)
      problems.push_back({file.path(), "record " + printable(entry.name) + " " + fault});
    else if (fault.empty() && entry.name.back() != '/')
      out.records.push_back({std::string(entry.name), entry.crc, static_cast<std::int64_t>(entry.stored),
                             static_cast<std::int64_t>(entry.header), 0, entry.method != 0});
  }
  if (cursor.left() != 0) fail(file.path(), fmt::format("{} bytes after the zip directory", cursor.left()));
  check_names(out.records, problems, file.path());
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return out;
}

}  // namespace kinema::checkpoint
