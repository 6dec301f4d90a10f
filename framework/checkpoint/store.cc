#include "framework/checkpoint/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "framework/checkpoint/file_io.h"
#include "kinema/error.h"

namespace kinema::checkpoint {

CheckpointStore::CheckpointStore(std::string folder, FileSystem& system, std::int64_t keep)
    : folder_(std::move(folder)), system_(system), keep_(std::max<std::int64_t>(keep, 1)) {
  make_folders(system_, folder_);
  collect_leftovers();
  for (const std::string& name : checkpoint_names(system_, folder_)) {
    try {
      serial_ = std::max(serial_, read_manifest(system_, path_of(name)).serial);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::usage) throw;  // a newer format: do not write beside it
    }
  }
}

std::string CheckpointStore::marked(const std::string& name, std::string_view mark) const {
  return path_of(fmt::format("{}{}{}", name, mark, ::getpid()));
}

void CheckpointStore::collect_leftovers() {
  // What replaced them must be durable before they go.
  sync_folder(system_, folder_);
  for (const std::string& name : list(system_, folder_)) {
    const bool replaced =
        is_aside(name) && status(system_, path_of(base_of_aside(name))).type != FileType::none;
    if (is_aside(name) && !replaced) {
      rename(system_, path_of(name), path_of(base_of_aside(name)));
      sync_folder(system_, folder_);
    } else if (is_temporary(name) || replaced) {
      try {
        remove_tree(system_, path_of(name));
      } catch (const Error&) {  // only litter: the next store tries again
      }
    }
  }
}

void CheckpointStore::check_free(const std::string& name, FileType allowed) const {
  check_checkpoint_name(name);
  const FileType type = status(system_, path_of(name)).type;
  if (type != FileType::none && type != allowed)
    throw Error(ErrorKind::usage, path_of(name),
                allowed == FileType::link
                    ? "name is taken: expected a link, got something else"
                    : "name is taken: expected a checkpoint folder, got something else");
}

Saved CheckpointStore::save(const CheckpointContents& contents, const std::string& name,
                            const std::vector<std::string>& links) {
  check_free(name, FileType::folder);
  for (const std::string& link : links) check_free(link, FileType::link);
  const std::string temporary = marked(name, kTemporaryMark);
  remove_replaced(name);

  Saved saved{path_of(name), {}, {}};
  bool complete = false;
  try {
    saved.manifest = write_checkpoint(system_, temporary, contents, serial_ + 1);
    verify_folder(system_, temporary);
    complete = true;
    publish(temporary, name);
  } catch (const Error&) {
    // From the swap on, the temporary name may hold the earlier checkpoint: then it stays.
    if (!complete) try {
        if (status(system_, temporary).type != FileType::none) remove_tree(system_, temporary);
      } catch (const Error&) {  // the first error is the one to report
      }
    throw;
  }
  serial_ = saved.manifest.serial;
  released_.erase(name);

  const auto tolerate = [&](auto step) {
    try {
      step();
    } catch (const Error& e) {
      saved.warnings.push_back(e.what());
    }
  };
  if (saved.manifest.finite) {
    verified_ = name;
    for (const std::string& link : links) tolerate([&] { point(link, name); });
    if (saved.warnings.empty()) tolerate([&] { retire(name); });
  }
  tolerate([&] { remove_replaced(name); });
  return saved;
}

void CheckpointStore::publish(const std::string& temporary, const std::string& name) {
  const std::string target = path_of(name);
  if (status(system_, target).type == FileType::none) {
    rename(system_, temporary, target);
  } else if (!exchange(system_, temporary, target)) {
    // Without a swap there is an instant without NAME; readers and the next store know the name aside.
    const std::string aside = marked(name, kAsideMark);
    rename(system_, target, aside);
    try {
      rename(system_, temporary, target);
    } catch (const Error&) {
      rename(system_, aside, target);
      throw;
    }
  }
  sync_folder(system_, folder_);
}

void CheckpointStore::remove_replaced(const std::string& name) {
  for (const std::string_view mark : {kTemporaryMark, kAsideMark}) {
    const std::string path = marked(name, mark);
    if (status(system_, path).type == FileType::none) continue;
    if (mark == kAsideMark && status(system_, path_of(name)).type == FileType::none) {
      rename(system_, path, path_of(name));
      sync_folder(system_, folder_);
      continue;
    }
    sync_folder(system_, folder_);
    remove_tree(system_, path);
  }
}

void CheckpointStore::point(const std::string& link, const std::string& name) {
  check_free(link, FileType::link);
  if (status(system_, path_of(name)).type != FileType::folder)
    throw Error(ErrorKind::usage, path_of(link),
                "cannot point to '" + name + "': expected a checkpoint of that name, got none");
  replace_link(system_, folder_, link, name);
}

void CheckpointStore::release(const std::string& name) {
  check_checkpoint_name(name);
  released_.insert(name);
  if (!verified_.empty()) retire(verified_);
}

std::set<std::string> CheckpointStore::linked() const {
  std::set<std::string> targets;
  for (const std::string& name : list(system_, folder_))
    if (status(system_, path_of(name)).type == FileType::link)
      targets.insert(read_link(system_, path_of(name)));
  return targets;
}

std::vector<std::string> CheckpointStore::outdated(const std::string& saved) const {
  struct Regular {
    std::string name;
    std::int64_t serial;
  };
  std::vector<Regular> regular;
  std::vector<std::string> old;
  for (const std::string& name : checkpoint_names(system_, folder_)) {
    if (!is_step(name)) continue;
    try {
      const Manifest manifest = read_manifest(system_, path_of(name));
      // One that is not finite goes with the next good save: nothing resumes from it.
      if (manifest.finite)
        regular.push_back({name, manifest.serial});
      else
        old.push_back(name);
    } catch (const Error&) {  // damaged: evidence, and perhaps half readable; it stays
    }
  }
  std::sort(regular.begin(), regular.end(),
            [](const Regular& a, const Regular& b) { return a.serial > b.serial; });
  for (std::size_t i = static_cast<std::size_t>(keep_); i < regular.size(); ++i)
    old.push_back(regular[i].name);
  std::erase(old, saved);
  return old;
}

void CheckpointStore::retire(const std::string& saved) {
  const std::set<std::string> targets = linked();
  std::vector<std::string> old = outdated(saved);
  for (const std::string& name : released_)
    if (name != saved) old.push_back(name);
  for (const std::string& name : old) {
    if (targets.contains(name)) continue;
    if (status(system_, path_of(name)).type == FileType::folder) remove(name);
    released_.erase(name);
  }
}

void CheckpointStore::remove(const std::string& name) {
  // Off its name first: a half-deleted folder must never look like a damaged checkpoint.
  const std::string going = marked(name, kTemporaryMark);
  if (status(system_, going).type != FileType::none) remove_tree(system_, going);
  rename(system_, path_of(name), going);
  sync_folder(system_, folder_);
  remove_tree(system_, going);
}

}  // namespace kinema::checkpoint
