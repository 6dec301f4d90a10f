#include "framework/checkpoint/weights.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "framework/checkpoint/checkpoint.h"
#include "framework/checkpoint/file_io.h"
#include "framework/checkpoint/python_file.h"
#include "framework/checkpoint/python_weights.h"
#include "framework/checkpoint/safetensors.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

constexpr const char* kIndexFile = "model.safetensors.index.json";
constexpr std::int64_t kMaxIndexBytes = 64 << 20;

bool has(FileSystem& system, const std::string& folder, const char* name) {
  return status(system, join(folder, name)).type == FileType::regular;
}

bool is_python(FileSystem& system, const std::string& path) {
  return looks_like_python(FileReader(system, path));
}

Weights from_file(FileSystem& system, const std::string& path) {
  if (is_python(system, path)) return {read_python_weights(system, path).tensors, {}, path};
  Safetensors file = read_safetensors(system, path);
  return {std::move(file.tensors), std::move(file.metadata), path};
}

// File name to the tensors that the index places there.
std::map<std::string, std::set<std::string>> read_index(FileSystem& system, const std::string& path) {
  std::map<std::string, std::set<std::string>> files;
  try {
    const auto json = nlohmann::json::parse(read_text(system, path, kMaxIndexBytes));
    for (const auto& [tensor, file] : json.at("weight_map").items()) {
      const auto& name = file.get_ref<const std::string&>();
      if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
        throw Error(ErrorKind::data, path,
                    "bad file name: expected one in the folder itself, got '" + name + "'");
      files[name].insert(tensor);
    }
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::data, path, fmt::format("index is malformed: {}", e.what()));
  }
  return files;
}

Weights from_shards(FileSystem& system, const std::string& folder) {
  Weights out;
  out.source = join(folder, kIndexFile);
  std::vector<Problem> problems;
  for (auto& [name, expected] : read_index(system, out.source)) {
    const std::string path = join(folder, name);
    Safetensors shard = read_safetensors(system, path);
    out.metadata.merge(shard.metadata);
    for (NamedTensor& named : shard.tensors) {
      if (expected.erase(named.name) == 0)
        problems.push_back(
            {path, "extra tensor '" + named.name + "': expected it in the index, got none there", {}, {}});
      out.tensors.push_back(std::move(named));
    }
    for (const std::string& missing : expected)
      problems.push_back(
          {path,
           "missing tensor '" + missing + "': expected it in this file, as the index says, got none",
           {},
           {}});
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return out;
}

}  // namespace

Weights load_weights(FileSystem& system, const std::string& path) {
  if (status(system, path).type == FileType::none)
    throw Error(
        ErrorKind::data, path,
        "no such file or folder: expected a checkpoint, a .safetensors or a .pth file, got nothing there");
  // A trailing slash lets lstat follow a link to a folder.
  const bool folder = status(system, path + "/").type == FileType::folder;
  if (!folder) return from_file(system, path);
  if (has(system, path, kManifestFile)) {
    verify_folder(system, path);
    return from_file(system, join(path, kModelFile));
  }
  if (has(system, path, kIndexFile)) return from_shards(system, path);
  if (has(system, path, kModelFile)) return from_file(system, join(path, kModelFile));
  if (const Newest newest = find_newest(system, path); newest.path)
    return from_file(system, join(*newest.path, kModelFile));
  throw Error(ErrorKind::data, path,
              "no weights in this folder: expected manifest.json, model.safetensors or checkpoints, got none "
              "of them");
}

}  // namespace kinema::checkpoint
