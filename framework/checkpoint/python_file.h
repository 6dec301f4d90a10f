#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "framework/checkpoint/checked_read.h"
#include "framework/checkpoint/pickle.h"

namespace kinema::checkpoint {

constexpr std::int64_t kMaxPickleBytes = 64 << 20;

// A file of torch.save: the pickle of the saved object, and where its storages are. Nothing of a storage is
// read yet.
struct PythonFile {
  std::unique_ptr<const std::string> text;  // the pickle; the tree borrows from it
  PickleTree tree;
  std::map<std::string, FilePart, std::less<>> storages;  // by key
};

// True when the first bytes are those of a zip archive, a pickle or a tar file.
bool looks_like_python(const FileReader& file);

// Opens a zip archive (PyTorch 1.6 and later) or a series of pickles (earlier). Throws Error(data) for
// damage, and for TorchScript archives, tar files, compressed archives and other pickles by their name.
PythonFile open_python_file(const FileReader& file);

// The two kinds.
PythonFile open_python_archive(const FileReader& file);
PythonFile open_python_series(const FileReader& file);

}  // namespace kinema::checkpoint
