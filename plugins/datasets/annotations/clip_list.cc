#include "annotations/clip_list.h"

#include <algorithm>
#include <system_error>
#include <unordered_map>

namespace kinema::annotations {
namespace {

Source rgb_source(const Clip& clip, const std::filesystem::path& root, double fps) {
  Source source;
  if (clip.pictures.empty()) {
    source.video = root / clip.path;
  } else {
    source.pattern = root / clip.path / clip.pictures;
    source.first_number = clip.first_number;
    source.pattern_fps = fps;
  }
  return source;
}

Source flow_source(const Clip& clip, const ClipList::Layout& layout, double fps) {
  const std::filesystem::path folder = layout.flow.flow_root.value_or(layout.root) / clip.flow;
  Source source;
  source.modality = "flow";
  source.pattern = folder / layout.flow.flow_x;
  source.pattern_down = folder / layout.flow.flow_y;
  source.first_number = clip.flow_first_number;
  source.pattern_fps = fps;
  return source;
}

}  // namespace

ClipList::ClipList(Layout layout, std::vector<std::string> classes, std::vector<Clip> clips)
    : layout_(std::move(layout)), classes_(std::move(classes)), clips_(std::move(clips)) {}

Item ClipList::item(std::size_t index) const {
  const Clip& clip = clips_.at(index);
  Item item;
  const double fps = clip.fps > 0 ? clip.fps : layout_.fps;
  if (layout_.flow.rgb()) item.sources.push_back(rgb_source(clip, layout_.root, fps));
  if (!clip.flow.empty()) item.sources.push_back(flow_source(clip, layout_, fps));
  item.span = clip.span;
  item.target.label = clip.label;
  item.target.boxes = clip.boxes;
  if (layout_.multi_label) {
    item.target.values.resize(classes_.size());
    for (const std::int64_t label : clip.labels) item.target.values[static_cast<std::size_t>(label)] = 1;
  }
  item.target.timed = clip.timed;
  item.weight = clip.weight;
  item.key = clip.key.empty() ? clip.path : clip.key;
  return item;
}

void assign_labels(const std::vector<WrittenLabels>& entries, const ResolvedLabels& resolved,
                   bool multi_label, std::vector<Clip>& clips, Complaints& complaints) {
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const std::vector<std::int64_t>& labels = resolved.labels[i];
    if (multi_label)
      clips[i].labels = labels;
    else if (labels.size() > 1)
      complaints.add(entries[i].line, "several labels: expected one, got " + std::to_string(labels.size()),
                     "multi_label = true takes them all");
    else if (!labels.empty())
      clips[i].label = labels.front();
  }
}

void treat_missing(Missing missing, const std::filesystem::path& root, const std::string& name,
                   Context& context, std::vector<Clip>& clips) {
  if (missing == Missing::keep) return;
  constexpr std::size_t kShown = 5;
  std::unordered_map<std::string, bool> known;  // several clips may be cut from one file
  std::vector<std::string> gone;                // each once
  std::size_t count = 0;
  const auto absent = [&](const Clip& clip) {
    const auto [at, is_new] = known.try_emplace(clip.path, false);
    std::error_code ignored;  // a file that cannot be looked at shows itself later
    if (is_new) {
      at->second = !std::filesystem::exists(root / clip.path, ignored) && !ignored;
      if (at->second) gone.push_back(clip.path);
    }
    count += at->second ? 1 : 0;
    return at->second;
  };
  const std::size_t all = clips.size();
  clips.erase(std::remove_if(clips.begin(), clips.end(), absent), clips.end());
  if (count == 0) return;
  if (clips.empty())
    throw Error(ErrorKind::data, root.string(),
                "none of the " + std::to_string(all) + " items has a file: expected " + gone.front() +
                    ", got nothing",
                "is root the folder that the paths start from?");
  context.missing(gone);
  std::string names;
  for (std::size_t i = 0; i < std::min(kShown, gone.size()); ++i) names += (i > 0 ? ", " : "") + gone[i];
  context.warn(name + ": " + std::to_string(count) + " of " + std::to_string(all) +
               " items have no file and are left out: " + names + (gone.size() > kShown ? ", ..." : ""));
}

std::vector<std::pair<std::string, Missing>> missing_names() {
  return {{"skip", Missing::skip}, {"keep", Missing::keep}};
}

void Listing::add(std::size_t line, std::vector<std::string> labels, Clip clip) {
  written.push_back({line, std::move(labels)});
  clips.push_back(std::move(clip));
}

std::shared_ptr<Dataset> make_clip_list(Listing listing, const ListRules& rules, Complaints& complaints,
                                        Context& context) {
  if (listing.clips.empty() && !complaints.any())
    complaints.add(0, "an empty list: expected lines of " + rules.entry + ", got none");
  ResolvedLabels resolved = resolve_labels(listing.written, rules.labels, complaints);
  if (!listing.clips.empty() && resolved.classes.empty())
    complaints.add(0, "no labels and no classes: expected at least one of them, got neither",
                   "a list for testing takes its class names from the options");
  assign_labels(listing.written, resolved, rules.layout.multi_label, listing.clips, complaints);
  complaints.report();
  if (!resolved.remark.empty()) context.warn(rules.name + ": " + resolved.remark);
  const ClipList::Layout& layout = rules.layout;
  if (layout.flow.rgb()) treat_missing(rules.missing, layout.root, rules.name, context, listing.clips);
  add_flow(layout.flow, layout.root, rules.name, context, listing.clips);
  return std::make_shared<ClipList>(layout, std::move(resolved.classes), std::move(listing.clips));
}

}  // namespace kinema::annotations
