#include "framework/data/check_shards.h"

#include <utility>

#include "framework/data/parallel.h"
#include "framework/media/video.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

media::Examination examine_record(const ShardSet& shards, const ShardRecord& record,
                                  const CheckOptions& options) {
  const std::string name(record.name);
  try {
    const media::Video video = shards.open(record, name, options.limits);
    media::Examination found = media::examine(shards.part_of(record, name), options.depth, options.limits);
    if (found.usable && found.info.frame_count != video.info().frame_count)
      found = {.reason = "another index: expected that of its frames, got one of another video",
               .bytes = found.bytes};
    return found;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    return {.reason = error.problems().front().what, .bytes = record.place.bytes};
  }
}

}  // namespace

CheckReport check_shards(const ShardSet& shards, const CheckOptions& options) {
  const std::vector<ShardRecord>& records = shards.table().records();
  CheckReport report;
  for (const ShardRecord& record : records) report.files.push_back({.name = std::string(record.name)});
  for_each_parallel(
      records.size(), options.threads,
      [&](std::size_t i) { report.files[i].found = examine_record(shards, records[i], options); },
      [&](std::size_t finished) {
        if (options.progress) options.progress(finished, records.size());
      });
  return report;
}

}  // namespace kinema::data
