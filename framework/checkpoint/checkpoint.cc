#include "framework/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/checkpoint/finite.h"
#include "framework/checkpoint/safetensors.h"
#include "framework/checkpoint/store_names.h"
#include "framework/checkpoint/value_json.h"
#include "kinema/error.h"
#include "kinema/version.h"

namespace kinema::checkpoint {
namespace {

constexpr std::int64_t kMaxValuesBytes = 256 << 20;

struct Candidate {
  std::string path;
  std::int64_t serial;
  std::int64_t step;
};

// The folders of `folder` with a readable manifest, newest first; the others go to `skipped`.
std::vector<Candidate> candidates(FileSystem& system, const std::string& folder,
                                  std::vector<Skipped>& skipped) {
  std::vector<Candidate> found;
  for (const std::string& name : checkpoint_names(system, folder)) {
    const std::string path = join(folder, name);
    try {
      const Manifest manifest = read_manifest(system, path);
      found.push_back({path, manifest.serial, manifest.step});
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::usage) throw;
      skipped.push_back({path, e.what()});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    return std::pair(a.serial, a.step) > std::pair(b.serial, b.step);
  });
  return found;
}

}  // namespace

Manifest write_checkpoint(FileSystem& system, const std::string& folder, const CheckpointContents& contents,
                          std::int64_t serial) {
  Manifest manifest;
  manifest.serial = serial;
  manifest.kinema = KINEMA_SDK_VERSION;
  manifest.step = contents.step;
  manifest.epoch = contents.epoch;
  manifest.created = utc_now();
  manifest.plugins = contents.plugins;
  manifest.config_hash = contents.config_hash;
  manifest.finite = all_finite(contents.model) && all_finite(contents.state);

  make_folder(system, folder);
  manifest.files[kModelFile] =
      write_safetensors(system, join(folder, kModelFile), contents.model, contents.metadata);
  manifest.files[kStateFile] = write_safetensors(system, join(folder, kStateFile), contents.state);
  manifest.files[kValuesFile] = write_text(system, join(folder, kValuesFile), value_to_json(contents.values));
  write_text(system, join(folder, kManifestFile), render_manifest(manifest));
  sync_folder(system, folder);
  return manifest;
}

Checkpoint load_checkpoint(FileSystem& system, const std::string& folder) {
  Checkpoint out;
  out.path = folder;
  out.manifest = verify_folder(system, folder);
  for (const char* name : {kModelFile, kStateFile, kValuesFile})
    if (!out.manifest.files.contains(name))
      throw Error(ErrorKind::data, folder, fmt::format("incomplete checkpoint: expected {}, got none", name));
  Safetensors model = read_safetensors(system, join(folder, kModelFile));
  out.model = std::move(model.tensors);
  out.metadata = std::move(model.metadata);
  out.state = read_safetensors(system, join(folder, kStateFile)).tensors;
  const std::string values = join(folder, kValuesFile);
  out.values = value_from_json(read_text(system, values, kMaxValuesBytes), values);
  return out;
}

Newest find_newest(FileSystem& system, const std::string& folder) {
  Newest newest;
  if (status(system, folder).type == FileType::none) return newest;
  for (const Candidate& candidate : candidates(system, folder, newest.skipped)) {
    try {
      Manifest manifest = verify_folder(system, candidate.path);
      if (manifest.finite) {
        newest.path = candidate.path;
        newest.manifest = std::move(manifest);
        return newest;
      }
      newest.skipped.push_back({candidate.path, candidate.path + ": suspect: it holds NaN or infinity"});
    } catch (const Error& e) {
      newest.skipped.push_back({candidate.path, e.what()});
    }
  }
  if (newest.skipped.empty()) return newest;
  std::vector<Problem> problems;
  for (const Skipped& skipped : newest.skipped) problems.push_back({{}, skipped.reason, {}, {}});
  problems.push_back({folder,
                      fmt::format("no usable checkpoint: expected one, got {} damaged or suspect ones",
                                  newest.skipped.size()),
                      "name one to resume from, or start a new run",
                      {}});
  throw Error(ErrorKind::data, std::move(problems));
}

std::string step_name(std::int64_t step) { return fmt::format("step-{:08d}", step); }

}  // namespace kinema::checkpoint
