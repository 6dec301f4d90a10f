#include "framework/data/shard_table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "framework/data/work_list.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "kinema shards", kVersion = "1", kNone = "-";

class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}
  std::string_view text() {
    if (over_) {
      good_ = false;
      return {};
    }
    const std::size_t end = rest_.find('\t');
    const std::string_view field = rest_.substr(0, end);
    over_ = end == std::string_view::npos;
    rest_.remove_prefix(over_ ? rest_.size() : end + 1);
    return field;
  }
  template <class T>
  T number(int base = 10) {
    const std::string_view field = text();
    T value{};
    std::from_chars_result result{};
    if constexpr (std::is_floating_point_v<T>)
      result = std::from_chars(field.data(), field.data() + field.size(), value);
    else
      result = std::from_chars(field.data(), field.data() + field.size(), value, base);
    good_ &= result.ec == std::errc() && result.ptr == field.data() + field.size();
    return value;
  }
  // All that was asked for was there, and nothing else is.
  bool all_good() const { return good_ && over_; }

 private:
  std::string_view rest_;
  bool over_ = false, good_ = true;
};

std::optional<ShardHead> head_of(std::string_view line) {
  Fields fields(line);
  if (fields.text() != kName || fields.text() != kVersion) return std::nullopt;
  ShardHead head;
  head.root = fields.text();
  head.fps = fields.number<double>();
  const bool sane = std::isfinite(head.fps) && head.fps >= 0 && !head.root.empty();
  return fields.all_good() && sane ? std::optional(head) : std::nullopt;
}

// What is wrong with a line; empty: `record` is it.
std::string read_line(std::string_view line, ShardRecord& record) {
  Fields fields(line);
  record.name = fields.text();
  if (std::string refusal = name_refusal(std::string(record.name)); !refusal.empty()) return refusal;
  record.source.bytes = fields.number<std::int64_t>();
  record.source.mtime_ns = fields.number<std::int64_t>();
  if (fields.text() == kNone) {
    record.reason = fields.text();
    return fields.all_good() ? ""
                             : "not a line of a shard table: expected a reason, got another number of fields";
  }
  fields = Fields(line);
  for (int known = 0; known < 3; ++known) fields.text();
  ShardPlace& place = record.place;
  place.shard = fields.number<std::int32_t>();
  place.offset = fields.number<std::int64_t>();
  place.bytes = fields.number<std::int64_t>();
  place.index_bytes = fields.number<std::int32_t>();
  place.checksum = fields.number<std::uint64_t>(16);
  record.figures.frames = fields.number<std::int32_t>();
  for (float* figure : {&record.figures.lead_in_before, &record.figures.lead_in_after,
                        &record.figures.psnr_mean, &record.figures.psnr_least})
    *figure = fields.number<float>();
  if (!fields.all_good()) return "not a line of a shard table: expected 13 fields, got others";
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  const bool sane = place.shard >= 0 && place.shard < ShardTable::kMostShards && place.offset >= 0 &&
                    place.bytes > 0 && place.index_bytes > 0 && place.offset < kMost && place.bytes < kMost;
  return sane ? "" : "a place that cannot be: expected a shard, an offset and sizes, got other numbers";
}

// The parts that begin before the one in front of them ends.
void check_overlaps(const std::vector<ShardRecord>& records, const std::string& where,
                    std::vector<Problem>& problems) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < records.size(); ++i)
    if (records[i].place.shard >= 0) order.push_back(i);
  std::ranges::sort(
      order, {}, [&](std::uint32_t i) { return std::pair(records[i].place.shard, records[i].place.offset); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const ShardRecord &a = records[order[i - 1]], &b = records[order[i]];
    if (a.place.shard == b.place.shard && a.place.end() > b.place.offset)
      problems.push_back(
          {where,
           fmt::format("parts that overlap: expected one behind the other, got {} and {}", a.name, b.name)});
  }
}

[[noreturn]] void refuse(std::vector<Problem> problems, const std::string& where) {
  constexpr std::size_t kShown = 20;
  const std::size_t more = problems.size() - std::min(problems.size(), kShown);
  problems.resize(problems.size() - more);
  if (more > 0) problems.push_back({where, fmt::format("and {} more lines like these", more)});
  problems.front().hint = "delete the folder and make it anew: `kinema data shard`";
  throw Error(ErrorKind::data, std::move(problems));
}

struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

template <class Take>
void read_chunks(const fs::path& file, std::int64_t offset, std::int64_t bytes, const std::string& name,
                 Take take) {
  constexpr std::int64_t kChunk = 1 << 20;
  const auto fail = [&](const std::string& got) {
    throw Error(ErrorKind::data, name,
                fmt::format("cannot be read: expected {} bytes of {}, got {}", bytes, file.string(), got));
  };
  const Descriptor fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (fd.number < 0) fail(fmt::format("\"{}\"", std::strerror(errno)));
  std::vector<char> buffer(static_cast<std::size_t>(std::min(bytes, kChunk)));
  for (std::int64_t at = 0; at < bytes;) {
    const std::int64_t wanted = std::min(bytes - at, kChunk);
    const ssize_t got = ::pread(fd.number, buffer.data(), static_cast<std::size_t>(wanted), offset + at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(got < 0 ? fmt::format("\"{}\"", std::strerror(errno)) : std::to_string(at));
    take(buffer.data(), static_cast<std::size_t>(got));
    at += got;
  }
}

}  // namespace

std::string line_of(const ShardHead& head) {
  return fmt::format("{}\t{}\t{}\t{}", kName, kVersion, head.root, head.fps);
}

std::string line_of(const ShardRecord& record) {
  const ShardPlace& place = record.place;
  const std::string source =
      fmt::format("{}\t{}\t{}", record.name, record.source.bytes, record.source.mtime_ns);
  if (place.shard < 0) {
    std::string reason(record.reason);
    std::ranges::replace_if(
        reason, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return fmt::format("{}\t{}\t{}", source, kNone, reason);
  }
  const ShardFigures& figures = record.figures;
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{:016x}\t{}\t{:.2f}\t{:.2f}\t{:.2f}\t{:.2f}", source, place.shard,
                     place.offset, place.bytes, place.index_bytes, place.checksum, figures.frames,
                     figures.lead_in_before, figures.lead_in_after, figures.psnr_mean, figures.psnr_least);
}

ShardTable::ShardTable(std::string_view text, const std::string& where) {
  const std::size_t last = text.rfind('\n');
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  std::vector<Problem> problems;
  texts_.reserve(text.size());  // names stay where they are
  const auto kept = [&](std::string_view words) {
    const std::size_t at = texts_.size();
    texts_.insert(texts_.end(), words.begin(), words.end());
    return std::string_view(texts_.data() + at, words.size());
  };
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (number == 1) {
      const std::optional<ShardHead> head = head_of(line);
      if (!head)
        throw Error(ErrorKind::data, where,
                    "not a shard table: expected one of version 1 that kinema wrote, got another first line");
      head_ = *head;
      continue;
    }
    ShardRecord record;
    if (std::string wrong = read_line(line, record); !wrong.empty()) {
      problems.push_back({fmt::format("{}:{}", where, number), std::move(wrong)});
      continue;
    }
    record.name = kept(record.name);
    record.reason = kept(record.reason);
    records_.push_back(record);
    if (record.place.shard < 0) continue;
    const auto shard = static_cast<std::size_t>(record.place.shard);
    if (shard >= shard_bytes_.size()) shard_bytes_.resize(shard + 1);
    shard_bytes_[shard] = std::max(shard_bytes_[shard], record.place.end());
  }
  check_overlaps(records_, where, problems);
  if (!problems.empty()) refuse(std::move(problems), where);
  std::ranges::stable_sort(records_, {}, &ShardRecord::name);
  const auto repeated = [&](const ShardRecord& record) {
    const ShardRecord* next = &record + 1;
    return next != records_.data() + records_.size() && next->name == record.name;
  };
  std::size_t count = 0;
  for (const ShardRecord& record : records_)
    if (!repeated(record)) records_[count++] = record;
  records_.resize(count);
}

const ShardRecord* ShardTable::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(records_, name, {}, &ShardRecord::name);
  return found != records_.end() && found->name == name ? &*found : nullptr;
}

fs::path shard_path(const fs::path& folder, std::int32_t shard) {
  return folder / fmt::format("shard-{:05}.bin", shard);
}

std::string read_part(const fs::path& file, std::int64_t offset, std::int64_t bytes,
                      const std::string& name) {
  std::string whole;
  read_chunks(file, offset, bytes, name,
              [&](const char* data, std::size_t size) { whole.append(data, size); });
  return whole;
}

std::uint64_t checksum_of(const fs::path& file, std::int64_t offset, std::int64_t bytes,
                          const std::string& name) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  XXH3_64bits_reset(state.get());
  read_chunks(file, offset, bytes, name,
              [&](const char* data, std::size_t size) { XXH3_64bits_update(state.get(), data, size); });
  return XXH3_64bits_digest(state.get());
}

}  // namespace kinema::data
