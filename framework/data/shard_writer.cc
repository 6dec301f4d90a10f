#include "framework/data/shard_writer.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <utility>

#include "kinema/error.h"

namespace kinema::data {

namespace fs = std::filesystem;

ShardWriter::ShardWriter(fs::path folder, const std::string& settings, const ShardHead& head,
                         std::int64_t shard_bytes)
    : folder_(std::move(folder)),
      table_(folder_, kSettings, ShardTable::kFile, settings),
      shard_bytes_(shard_bytes) {
  const std::string where = (folder_ / ShardTable::kFile).string();
  if (table_.text().empty()) table_.append(line_of(head));
  before_ = ShardTable(table_.text(), where);
  if (line_of(before_.head()) != line_of(head))
    throw Error(ErrorKind::usage, folder_.string(),
                fmt::format("made from another place: expected videos of {}, got those of {}",
                            before_.head().root, head.root),
                "name another --output");
  cut_tails();
}

void ShardWriter::cut_tails() {
  const std::vector<std::int64_t>& known = before_.shard_bytes();
  std::error_code failed;
  for (std::size_t i = 0; i <= known.size(); ++i) {
    const fs::path file = shard_path(folder_, static_cast<std::int32_t>(i));
    const std::int64_t length = i < known.size() ? known[i] : 0;
    if (!fs::exists(file, failed) && length == 0) continue;
    const auto found = static_cast<std::int64_t>(fs::file_size(file, failed));
    if (failed || found < length)
      throw Error(ErrorKind::run, file.string(),
                  fmt::format("lost bytes: expected {} at least, got {}", length, failed ? 0 : found),
                  "delete the folder and make it anew");
    if (found > length) fs::resize_file(file, static_cast<std::uintmax_t>(length));
  }
  shard_ = known.empty() ? 0 : static_cast<std::int32_t>(known.size() - 1);
  length_ = known.empty() ? 0 : known.back();
}

ShardRecord ShardWriter::append(ShardRecord record, const fs::path& container, const std::string& index) {
  const std::string bytes = tracking::read_whole(container.string()) + index;
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (length_ > 0 && length_ + size > shard_bytes_) {
    ++shard_;
    length_ = 0;
  }
  const fs::path file = shard_path(folder_, shard_);
  tracking::AppendFile shard(file.string());
  shard.append(bytes);
  shard.sync();
  if (length_ == 0) sync_to_disk(folder_);
  const auto index_bytes = static_cast<std::int32_t>(index.size());
  record.place = {shard_, index_bytes, length_, size - index_bytes, XXH3_64bits(bytes.data(), bytes.size())};
  table_.append(line_of(record));
  length_ += size;
  return record;
}

void ShardWriter::append_refusal(const ShardRecord& record) { table_.append(line_of(record)); }

}  // namespace kinema::data
