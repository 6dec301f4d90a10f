#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "framework/checkpoint/checkpoint.h"
#include "framework/checkpoint/store_names.h"

namespace kinema::checkpoint {

struct Saved {
  std::string path;
  Manifest manifest;
  std::vector<std::string>
      warnings;  // links not moved, old folders not removed: the checkpoint itself is safe
};

// The one writer of a folder of checkpoints [rank 0, one thread]. Readers need no store: find_newest() and
// load_checkpoint() are free functions.
//
// A checkpoint becomes visible complete or not at all: written to NAME.tmp-PID, flushed, read back and
// verified, renamed, parent flushed. Saving under a name in use swaps the two folders in one step. Links move
// after that, and only then are old folders deleted. At every instant the folder holds a checkpoint that
// loads if it ever held one. Local POSIX file systems only.
class CheckpointStore {
 public:
  // Makes the folder and removes what an interrupted writer left. `keep` is the number of regular
  // checkpoints (step_name()) that stay; at least 1.
  CheckpointStore(std::string folder, FileSystem& system, std::int64_t keep = 3);

  // Writes `contents` as `name` and makes each of `links` ("last", best_link_name()) point to it. A
  // checkpoint that is not finite moves no link and deletes nothing. Throws Error when the new one is not
  // safely on disk: the earlier ones are then untouched and training may go on.
  Saved save(const CheckpointContents& contents, const std::string& name,
             const std::vector<std::string>& links = {"last"});

  // Makes `link` point to the checkpoint `name`, which must exist.
  void point(const std::string& link, const std::string& name);

  // Gives up a checkpoint that a callback had asked to keep. It is deleted now, or at a later save when a
  // link still points to it or no other usable checkpoint is left.
  void release(const std::string& name);

  const std::string& folder() const { return folder_; }

 private:
  std::string path_of(const std::string& name) const { return join(folder_, name); }
  std::string marked(const std::string& name, std::string_view mark) const;
  void collect_leftovers();
  void check_free(const std::string& name, FileType allowed) const;
  void publish(const std::string& temporary, const std::string& name);
  void remove_replaced(const std::string& name);
  void retire(const std::string& saved);
  std::vector<std::string> outdated(const std::string& saved) const;
  std::set<std::string> linked() const;
  void remove(const std::string& name);

  std::string folder_;
  FileSystem& system_;
  std::int64_t keep_;
  std::int64_t serial_ = 0;         // of the newest checkpoint
  std::string verified_;            // the newest finite one that this store saved
  std::set<std::string> released_;  // to be deleted as soon as that is safe
};

}  // namespace kinema::checkpoint
