#include "framework/train/run_place.h"

#include <fmt/format.h>

#include <ctime>
#include <filesystem>

#include "framework/checkpoint/value_json.h"
#include "framework/infer/trained_model.h"
#include "framework/tracking/run_folder.h"
#include "framework/train/store_keeper.h"
#include "kinema/error.h"

namespace kinema::train {
namespace {

namespace fs = std::filesystem;

// Taken before anything is looked at: opening a store removes what seems to be left over.
RunPlace locked(const std::string& folder) {
  RunPlace place;
  place.folder = folder;
  place.lock = tracking::RunLock(folder);
  return place;
}

RunPlace new_place(const config::Experiment& experiment) {
  return locked(
      tracking::create_run_folder(experiment.runs_dir.string(), experiment.name, std::time(nullptr)));
}

// The run may have been killed after the newest checkpoint was complete and before its links pointed to it.
void make_links_good(RunPlace& place) {
  const Value* links = place.checkpoint->values.find(kLinksKey);
  if (!links) return;
  try {
    checkpoint::CheckpointStore store(place.checkpoints(), checkpoint::real_file_system());
    for (const Value& link : links->as_array())
      store.point(link.as_string(), fs::path(place.checkpoint->path).filename().string());
  } catch (const Error& error) {
    place.remarks.emplace_back(error.what());
  }
}

RunPlace continued(const std::string& folder) {
  RunPlace place = locked(folder);
  checkpoint::FileSystem& files = checkpoint::real_file_system();
  const checkpoint::Newest newest = checkpoint::find_newest(files, place.checkpoints());
  for (const checkpoint::Skipped& skipped : newest.skipped)
    place.remarks.push_back(fmt::format("checkpoint {} is not usable, the one before is taken: {}",
                                        skipped.path, skipped.reason));
  if (newest.path) {
    place.checkpoint = checkpoint::load_checkpoint(files, *newest.path);
    make_links_good(place);
  } else {
    place.remarks.push_back(fmt::format("{} has no checkpoint yet: starting at step 0", folder));
  }
  return place;
}

RunPlace named(const std::string& path) {
  if (fs::is_directory(fs::path(path) / "checkpoints")) return continued(path);
  const fs::path real = fs::weakly_canonical(path);
  if (!fs::exists(real / "manifest.json") || real.parent_path().filename() != "checkpoints")
    throw Error(ErrorKind::usage, path,
                "nothing to resume: expected a run folder or a checkpoint inside of one, got neither",
                "kinema train EXPERIMENT --resume continues the newest run");
  RunPlace place = locked(real.parent_path().parent_path().string());
  place.checkpoint = checkpoint::load_checkpoint(checkpoint::real_file_system(), real.string());
  return place;
}

}  // namespace

std::optional<std::int64_t> RunPlace::resumed_step() const {
  if (folder.empty()) return std::nullopt;
  return checkpoint ? checkpoint->manifest.step : 0;
}

std::vector<std::string> RunPlace::classes() const {
  std::vector<std::string> names;
  const auto found = checkpoint->metadata.find(infer::kClassesKey);
  if (found == checkpoint->metadata.end()) return names;
  for (const Value& name : checkpoint::value_from_json(found->second, checkpoint->path).as_array())
    names.push_back(name.as_string());
  return names;
}

RunPlace open_run_place(const config::Experiment& experiment, const std::optional<std::string>& resume) {
  if (!resume) return new_place(experiment);
  if (!resume->empty()) return named(*resume);
  const auto latest = tracking::latest_run(experiment.runs_dir.string(), experiment.name);
  if (latest) return continued(*latest);
  RunPlace place = new_place(experiment);
  place.remarks.push_back(fmt::format("no run of \"{}\" yet: starting a new one", experiment.name));
  return place;
}

}  // namespace kinema::train
