#include "framework/data/shard_set.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "framework/data/roots.h"
#include "framework/data/work_list.h"
#include "framework/media/index_file.h"
#include "framework/media/video.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHint =
    "`kinema data shard` writes shards and completes them; without loader.shards the originals are read";

ShardTable read_table(const fs::path& folder) {
  if (!holds_shards(folder))
    throw Error(ErrorKind::usage, folder.string(),
                fmt::format("no shards: expected a folder with {}, got none", ShardTable::kFile), kHint);
  const std::string file = (folder / ShardTable::kFile).string();
  return {tracking::read_whole(file), file};
}

// A shard that is shorter than the table says is another one, or was not copied to its end.
void check_shards(const fs::path& folder, const ShardTable& table) {
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < table.shard_bytes().size(); ++i) {
    const std::int64_t wanted = table.shard_bytes()[i];
    const fs::path file = shard_path(folder, static_cast<std::int32_t>(i));
    std::error_code failed;
    const auto bytes = static_cast<std::int64_t>(fs::file_size(file, failed));
    if (wanted > 0 && (failed || bytes < wanted))
      problems.push_back({file.string(), fmt::format("too short: expected {} bytes, got {}", wanted,
                                                     failed ? failed.message() : std::to_string(bytes))});
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
}

std::string name_below(const fs::path& root, const fs::path& video) {
  if (root.empty()) return {};
  const std::string name = video.lexically_relative(root).string();
  return name.starts_with("..") ? std::string() : name;
}

// What keeps an item from being read from shards of another frame rate; empty: nothing.
std::string rate_misfit(const Item& item) {
  if (says_frame_numbers(item))
    return fmt::format("a part by frame number: expected seconds or the whole video, got frames {} to {}",
                       item.span.begin, item.span.end);
  const bool rows = std::ranges::any_of(item.sources, [](const Source& s) { return s.video.empty(); });
  const bool videos = std::ranges::any_of(item.sources, [](const Source& s) { return !s.video.empty(); });
  if (rows && videos)
    return "pictures that go with the frames of a video: expected frames of the original's rate, got others";
  return {};
}

// Problems of all items, each once, the first ones with their text.
class Complaints {
 public:
  void add(const std::string& where, std::string what) {
    ++count_;
    if (problems_.size() < kShown) problems_.push_back({where, std::move(what)});
  }
  void raise(const char* hint) {
    if (count_ == 0) return;
    if (count_ > problems_.size())
      problems_.push_back({"loader.shards", fmt::format("and {} more of these", count_ - problems_.size())});
    problems_.front().hint = hint;
    throw Error(ErrorKind::data, std::move(problems_));
  }

 private:
  static constexpr std::size_t kShown = 40;
  std::vector<Problem> problems_;
  std::size_t count_ = 0;
};

std::string fps_text(double fps) { return fmt::format("{:g} frames a second", fps); }

}  // namespace

ShardSet::ShardSet(fs::path folder, fs::path root)
    : folder_(std::move(folder)),
      root_(std::move(root)),
      table_(read_table(folder_)),
      verified_(table_.records().size()) {
  check_shards(folder_, table_);
}

const ShardRecord* ShardSet::find(const fs::path& video) const {
  const fs::path place = fs::absolute(video).lexically_normal();
  for (const fs::path& root : {fs::path(table_.head().root), root_}) {
    const std::string name = name_below(root, place);
    if (const ShardRecord* found = name.empty() ? nullptr : table_.find(name)) return found;
  }
  return nullptr;
}

void ShardSet::check(const Dataset& dataset) const {
  Complaints complaints;
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const Item item = dataset.item(i);
    if (const double fps = table_.head().fps; fps > 0)
      if (std::string misfit = rate_misfit(item); !misfit.empty())
        complaints.add(item.key, fmt::format("{} in shards of {}", misfit, fps_text(fps)));
    for (const Source& source : item.sources) {
      if (source.video.empty()) continue;
      const ShardRecord* record = find(source.video);
      std::error_code gone;
      if (record == nullptr)
        complaints.add(source.video.string(),
                       fmt::format("not in the shards: expected it in {}, got no line about it",
                                   (folder_ / ShardTable::kFile).string()));
      else if (fs::exists(source.video, gone) && source_stamp(source.video) != record->source)
        complaints.add(
            source.video.string(),
            "changed since it was written into the shards: expected its size and time of then, got "
            "others");
    }
  }
  complaints.raise(kHint);
}

void ShardSet::verify(const ShardRecord& record, const std::string& name) const {
  const fs::path file = shard_path(folder_, record.place.shard);
  const std::uint64_t found =
      checksum_of(file, record.place.offset, record.place.bytes + record.place.index_bytes, name);
  if (found == record.place.checksum) return;
  throw Error(ErrorKind::data, name,
              fmt::format("damaged in {}: expected checksum {:016x}, got {:016x}", file.string(),
                          record.place.checksum, found));
}

media::VideoPart ShardSet::part_of(const ShardRecord& record, const std::string& name) const {
  return {shard_path(folder_, record.place.shard).string(), record.place.offset, record.place.bytes, name};
}

media::Video ShardSet::open(const fs::path& video, const media::Limits& limits) const {
  const ShardRecord* record = find(video);
  if (record == nullptr)
    throw Error(ErrorKind::data, video.string(),
                fmt::format("not in the shards: expected it in {}, got no line about it",
                            (folder_ / ShardTable::kFile).string()),
                kHint);
  return open(*record, video.string(), limits);
}

media::Video ShardSet::open(const ShardRecord& record, const std::string& name,
                            const media::Limits& limits) const {
  if (record.place.shard < 0) throw Error(ErrorKind::data, name, std::string(record.reason));
  std::atomic<bool>& verified = verified_[static_cast<std::size_t>(&record - table_.records().data())];
  if (!verified) verify(record, name);
  verified = true;
  const media::VideoPart part = part_of(record, name);
  media::IndexPtr index = media::cached_index(part);
  if (index == nullptr) {
    const std::string bytes = read_part(part.path, part.offset + part.bytes, record.place.index_bytes, name);
    index = std::make_shared<const media::Index>(media::index_from_bytes(
        {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, name, limits));
  }
  return media::Video::open(part, index, limits);
}

std::shared_ptr<const ShardSet> shards_of(const config::Experiment& experiment) {
  static std::mutex mutex;
  static std::map<std::pair<fs::path, fs::path>, std::weak_ptr<const ShardSet>> known;
  if (!experiment.loader.shards) return nullptr;
  std::vector<fs::path> roots;
  if (const Value* sections = experiment.resolved.find("data"); sections != nullptr)
    for (const char* split : {"train", "val"})
      if (const Value* section = sections->find(split); section != nullptr) add_roots(*section, roots);
  const std::lock_guard lock(mutex);
  const fs::path root = common_folder(roots);
  std::weak_ptr<const ShardSet>& place = known[{*experiment.loader.shards, root}];
  std::shared_ptr<const ShardSet> shards = place.lock();
  if (shards == nullptr) place = shards = std::make_shared<const ShardSet>(*experiment.loader.shards, root);
  return shards;
}

bool holds_shards(const fs::path& folder) {
  std::error_code unknown;
  return fs::is_regular_file(folder / ShardTable::kFile, unknown);
}

}  // namespace kinema::data
