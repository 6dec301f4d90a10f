#pragma once

// Private to this folder.
#include <memory>
#include <string>

#include "framework/data/clip_source.h"
#include "framework/data/frame_cache.h"

namespace kinema::data {

// What a source's pixels depend on, as text: the names, sizes and times of its files, or the checksum of its
// part of a shard where there are `shards`. Empty for own pixels, which nobody can name. Throws Error(data)
// for a file that is not there.
std::string source_stamp(const Source& source, const ShardSet* shards = nullptr);

// A source whose frames come from the cache where it has them; where not, whole blocks are decoded and put
// there. The source itself is opened when something is missing, and not before. Frames of a source whose
// decoder complains are not kept: every clip is to tell of it.
std::unique_ptr<OpenSource> open_cached(const Source& source, const media::Limits& limits,
                                        std::shared_ptr<const ShardSet> shards,
                                        std::shared_ptr<FrameCache> cache);

}  // namespace kinema::data
