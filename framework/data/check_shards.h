#pragma once

#include "framework/data/check_files.h"
#include "framework/data/shard_set.h"

namespace kinema::data {

// Every video of the shards, by name: its checksum, its index, and its frames as far as options.depth says.
CheckReport check_shards(const ShardSet& shards, const CheckOptions& options);

}  // namespace kinema::data
