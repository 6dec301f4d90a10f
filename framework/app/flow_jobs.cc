#include "framework/app/flow_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "framework/app/console.h"
#include "framework/app/data_target.h"
#include "framework/app/session.h"
#include "framework/data/roots.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

namespace fs = std::filesystem;

// A source and what its folder is named after.
struct Found {
  Source source;
  fs::path path;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Found video_at(const fs::path& path) {
  Found found;
  found.source.video = found.path = path.lexically_normal();
  return found;
}

bool hidden(const fs::path& name) {
  return std::any_of(name.begin(), name.end(),
                     [](const fs::path& part) { return part.string().starts_with("."); });
}

// Those of a folder or a list; of a folder neither pictures nor what is hidden.
std::vector<Found> videos_of(const std::string& target) {
  static const std::set<std::string> kPictures = {".jpg", ".jpeg", ".png"};
  const bool folder = target_kind(target) == TargetKind::folder;
  std::vector<Found> found;
  for (const data::NamedFile& file : files_of(target))
    if (!folder || (!hidden(file.name) && !kPictures.contains(lower(file.path.extension().string()))))
      found.push_back(video_at(file.path));
  if (found.empty())
    throw Error(ErrorKind::data, target, "no videos: expected files in it or below, got pictures alone",
                "pictures of frames: name an experiment whose data sets are of type frame_folder");
  return found;
}

// The flow may not be there yet: the data set is to give what it is computed from.
void ask_for_rgb(Value& options) {
  if (options.is(Value::Type::array))
    for (Value& value : options.as_array()) ask_for_rgb(value);
  if (!options.is(Value::Type::table)) return;
  const Value* modalities = options.find("modalities");
  if (modalities && modalities->is(Value::Type::array)) {
    options.set("modalities", Value(Value::Array{Value("rgb")}));
    options.erase("flow_root");
  }
  for (Value::Entry& entry : options.as_table()) ask_for_rgb(entry.value);
}

void add_items(const Dataset& dataset, const std::string& name, std::map<fs::path, Found>& found) {
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const Item item = dataset.item(i);
    const auto rgb = std::find_if(item.sources.begin(), item.sources.end(), [](const Source& source) {
      return !source.frames && source.pattern_down.empty();
    });
    if (rgb == item.sources.end())
      throw Error(
          ErrorKind::usage, name,
          fmt::format("item {} ({}) has no frames that flow could be computed from: expected a video or "
                      "numbered pictures, got none",
                      i, item.key));
    const bool video = !rgb->video.empty();
    const fs::path path = video ? rgb->video : rgb->pattern.parent_path();
    const auto [at, is_new] = found.try_emplace(path, Found{*rgb, path});
    // Of several parts of one row of pictures the flow begins with the first.
    Source& kept = at->second.source;
    if (!is_new) kept.first_number = std::min(kept.first_number, rgb->first_number);
  }
}

struct Sets {
  std::vector<Found> found;
  fs::path root;
};

Sets in_experiment(const ExperimentArguments& arguments) {
  const Session session = open_session(arguments);
  const eval::Workshop workshop{session.experiment, *session.registry, {}, console_lines()};
  std::map<fs::path, Found> found;
  std::vector<fs::path> roots;
  for (const auto& [name, given] : {std::pair{"data.train", &session.experiment.train_data},
                                    std::pair{"data.val", &session.experiment.eval_data}}) {
    if (!*given) continue;
    Component<Dataset> section = *given;
    ask_for_rgb(section.options);
    data::add_roots(section.options, roots);
    add_items(*workshop.make<Dataset>(section, name), name, found);
  }
  Sets sets;
  for (auto& [path, each] : found) sets.found.push_back(std::move(each));
  if (roots.empty())
    for (const Found& each : sets.found) roots.push_back(each.path.parent_path());
  sets.root = data::common_folder(roots);
  return sets;
}

std::vector<flow::FlowJob> placed(std::vector<Found> found, const fs::path& root) {
  std::set<fs::path> seen;  // a list may name a file twice
  std::erase_if(found, [&](const Found& each) { return !seen.insert(each.path).second; });
  std::map<std::string, int> takers;  // of a place, or of one inside it
  const auto place = [&](const Found& each, bool with_extension) {
    fs::path path = each.path.lexically_relative(root);
    if (!with_extension && !each.source.video.empty()) path.replace_extension();
    return path;
  };
  for (const Found& each : found) {
    fs::path up = place(each, false);
    ++takers[up.generic_string()];
    while (up.has_parent_path()) takers[(up = up.parent_path()).generic_string()] += 2;
  }
  std::vector<flow::FlowJob> jobs;
  for (Found& each : found) {
    const bool alone = takers[place(each, false).generic_string()] == 1;
    std::string folder = place(each, !alone).generic_string();
    jobs.push_back({std::move(each.source), std::move(folder)});
  }
  return jobs;
}

}  // namespace

std::vector<flow::FlowJob> flow_jobs(const DataTarget& target) {
  check_overrides(target);
  const fs::path path = fs::path(target.path).lexically_normal();
  switch (target_kind(target.path)) {
    case TargetKind::experiment: {
      Sets sets = in_experiment({target.path, target.overrides});
      return placed(std::move(sets.found), sets.root);
    }
    case TargetKind::folder:
      return placed(videos_of(target.path), path);
    case TargetKind::list:
      break;
  }
  return placed(videos_of(target.path), path.parent_path());
}

}  // namespace kinema::app
