#include "annotations/clip_list.h"

#include <algorithm>
#include <string_view>
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

ClipList::ClipList(Layout layout, std::vector<std::string> classes, Clips clips)
    : layout_(std::move(layout)), classes_(std::move(classes)), clips_(std::move(clips)) {}

Item ClipList::item(std::size_t index) const {
  Clip clip = clips_.at(index);
  Item item;
  const double fps = clip.fps > 0 ? clip.fps : layout_.fps;
  if (layout_.flow.rgb()) item.sources.push_back(rgb_source(clip, layout_.root, fps));
  if (!clip.flow.empty()) item.sources.push_back(flow_source(clip, layout_, fps));
  item.span = clip.span;
  item.target.label = clip.label;
  item.target.boxes = std::move(clip.boxes);
  if (layout_.multi_label) {
    item.target.values.resize(classes_.size());
    for (const std::int64_t label : clip.labels) item.target.values[static_cast<std::size_t>(label)] = 1;
  }
  item.target.timed = std::move(clip.timed);
  item.weight = clip.weight;
  item.key = std::move(clip.key.empty() ? clip.path : clip.key);
  return item;
}

void assign_labels(const WrittenLabels& written, const ResolvedLabels& resolved, bool multi_label,
                   Clips& clips, Complaints& complaints) {
  if (multi_label)
    return clips.change([&](std::size_t i, Clip& clip) { clip.labels = labels_of(written, i, resolved); });
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const std::vector<std::int64_t> labels = labels_of(written, i, resolved);
    if (labels.size() > 1)
      complaints.add(written.line(i), "several labels: expected one, got " + std::to_string(labels.size()),
                     "multi_label = true takes them all");
    else if (!labels.empty())
      clips.set_label(i, labels.front());
  }
}

void treat_missing(Missing missing, const std::filesystem::path& root, const std::string& name,
                   Context& context, Clips& clips) {
  if (missing == Missing::keep) return;
  constexpr std::size_t kShown = 5;
  std::unordered_map<std::string_view, bool> known;  // several clips may be cut from one file
  std::vector<std::string> gone;                     // each once
  std::size_t count = 0;
  const auto there = [&](std::size_t i) {
    const std::string_view path = clips.path(i);
    const auto [at, is_new] = known.try_emplace(path, true);
    std::error_code ignored;  // a file that cannot be looked at shows itself later
    if (is_new) {
      at->second = std::filesystem::exists(root / path, ignored) || ignored;
      if (!at->second) gone.emplace_back(path);
    }
    count += at->second ? 0 : 1;
    return at->second;
  };
  const std::size_t all = clips.size();
  clips.keep_if(there);
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

void Listing::add(std::size_t line, std::span<const std::string_view> labels, const Clip& clip) {
  written.add(line, labels);
  clips.push_back(clip);
}

void Listing::add(std::size_t line, const std::vector<std::string>& labels, const Clip& clip) {
  written.add(line, labels);
  clips.push_back(clip);
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
  listing.written = {};  // what follows may need the memory
  if (!resolved.remark.empty()) context.warn(rules.name + ": " + resolved.remark);
  const ClipList::Layout& layout = rules.layout;
  if (layout.flow.rgb()) treat_missing(rules.missing, layout.root, rules.name, context, listing.clips);
  add_flow(layout.flow, layout.root, rules.name, context, listing.clips);
  return std::make_shared<ClipList>(layout, std::move(resolved.classes), std::move(listing.clips));
}

}  // namespace kinema::annotations
