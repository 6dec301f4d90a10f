#include "framework/checkpoint/zip_writer.h"

#include "framework/checkpoint/crc32.h"

namespace kinema::checkpoint {
namespace {

constexpr std::int64_t kAlignment = 64;
constexpr std::uint16_t kVersion = 45;  // the first with zip64
constexpr std::uint16_t kUtf8Flag = 1 << 11;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint16_t kPaddingField = 0x4246;  // "FB", PyTorch's
constexpr std::uint32_t kIn64 = 0xffffffff;
constexpr std::size_t kFieldHeadBytes = 4;

template <class... T>
std::string packed(T... numbers) {
  std::string out;
  (out.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return out;
}

std::uint16_t length(const std::string& text) { return static_cast<std::uint16_t>(text.size()); }
std::uint64_t wide(std::int64_t number) { return static_cast<std::uint64_t>(number); }

// Fills up to where the content may start; a field is at least its head.
std::string padding(std::int64_t at) {
  std::int64_t bytes = (kAlignment - at % kAlignment) % kAlignment;
  if (bytes > 0 && bytes < static_cast<std::int64_t>(kFieldHeadBytes)) bytes += kAlignment;
  if (bytes == 0) return {};
  const std::string fill(static_cast<std::size_t>(bytes) - kFieldHeadBytes, '\0');
  return packed(kPaddingField, length(fill)) + fill;
}

}  // namespace

void ZipWriter::append(const std::string& bytes) {
  file_.append(bytes);
  at_ += static_cast<std::int64_t>(bytes.size());
}

void ZipWriter::add(const std::string& name, const void* data, std::size_t bytes) {
  ZipRecord record{name, crc32(data, bytes), static_cast<std::int64_t>(bytes), at_};
  const bool in64 = large(record.bytes);
  const std::uint32_t size = in64 ? kIn64 : static_cast<std::uint32_t>(bytes);
  std::string head = packed(std::uint32_t{0x04034b50}, kVersion, kUtf8Flag, std::uint16_t{0},
                            std::uint32_t{0}, record.crc, size, size, length(name));
  std::string extra;
  if (in64) extra = packed(kZip64Field, std::uint16_t{16}, wide(record.bytes), wide(record.bytes));
  constexpr std::int64_t kExtraLengthBytes = 2;
  extra +=
      padding(at_ + static_cast<std::int64_t>(head.size() + name.size() + extra.size()) + kExtraLengthBytes);
  append(head + packed(length(extra)) + name + extra);
  file_.append(data, bytes);
  at_ += record.bytes;
  records_.push_back(std::move(record));
}

std::string ZipWriter::entry(const ZipRecord& record) const {
  const bool large_size = large(record.bytes), large_header = large(record.header);
  std::string numbers;
  if (large_size) numbers += packed(wide(record.bytes), wide(record.bytes));
  if (large_header) numbers += packed(wide(record.header));
  const std::string extra = numbers.empty() ? "" : packed(kZip64Field, length(numbers)) + numbers;
  const auto narrow = [](bool in64, std::int64_t n) { return in64 ? kIn64 : static_cast<std::uint32_t>(n); };
  const std::uint32_t size = narrow(large_size, record.bytes);
  return packed(std::uint32_t{0x02014b50}, kVersion, kVersion, kUtf8Flag, std::uint16_t{0}, std::uint32_t{0},
                record.crc, size, size, length(record.name), length(extra), std::uint16_t{0},
                std::uint32_t{0}, std::uint32_t{0}, narrow(large_header, record.header)) +
         record.name + extra;
}

std::string ZipWriter::end64(std::int64_t begin, std::int64_t bytes) const {
  const auto count = static_cast<std::uint64_t>(records_.size());
  return packed(std::uint32_t{0x06064b50}, std::uint64_t{44}, kVersion, kVersion, std::uint32_t{0},
                std::uint32_t{0}, count, count, wide(bytes), wide(begin)) +
         packed(std::uint32_t{0x07064b50}, std::uint32_t{0}, wide(begin + bytes), std::uint32_t{1});
}

void ZipWriter::finish() {
  const std::int64_t begin = at_;
  for (const ZipRecord& record : records_) append(entry(record));
  const std::int64_t bytes = at_ - begin;
  const bool many = records_.size() >= 0xffff;
  const bool in64 = zip64_ || many || large(begin) || large(bytes);
  if (in64) append(end64(begin, bytes));
  const auto count = static_cast<std::uint16_t>(in64 ? 0xffff : records_.size());
  append(packed(std::uint32_t{0x06054b50}, std::uint32_t{0}, count, count,
                in64 ? kIn64 : static_cast<std::uint32_t>(bytes),
                in64 ? kIn64 : static_cast<std::uint32_t>(begin), std::uint16_t{0}));
}

}  // namespace kinema::checkpoint
